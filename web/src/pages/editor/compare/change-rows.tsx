import "../../../parts/diff/diff.css";
import { Button } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useMemo, useRef } from "react";
import { LineRow } from "../../../parts/diff/line-row.tsx";
import { digitsOf, lineRows, type ChangeRow } from "../../../parts/diff/rows.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { hunkHeader, type ChangeAction, type ChangedFile } from "./changed-file.ts";

type Row =
  | ChangeRow
  | { kind: "head"; path: string; note: string; action: ChangeAction | undefined }
  | { kind: "hunk"; text: string; action: ChangeAction | undefined };

const heights = { head: 40, hunk: 28, line: 20, pair: 20 };

interface Props {
  files: readonly ChangedFile[];
  label: string;
}

/** The lines that differ, of which only those in view are drawn. */
export function ChangeRows({ files, label }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => files.flatMap(rowsOf), [files]);
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => heights[rows[index]?.kind ?? "line"],
    // Another function for other rows, of which the heights are computed again.
    getItemKey: useCallback((index: number) => `${index} ${rows[index]?.kind}`, [rows]),
    overscan: 20,
  });
  return (
    <div className="changes" ref={box} role="region" aria-label={label} tabIndex={0}>
      <div className="diff" style={{ ...digitsOf(files), height: view.getTotalSize(), position: "relative" }}>
        {view.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            ref={view.measureElement}
            data-index={index}
            className="place"
            style={{ transform: `translateY(${start}px)` }}
          >
            <RowOf row={rows[index]!} onAction={() => box.current?.focus()} />
          </div>
        ))}
      </div>
    </div>
  );
}

function rowsOf({ path, note, hunks, action, hunkActions }: ChangedFile): Row[] {
  return [
    { kind: "head", path, note, action },
    ...hunks.flatMap((hunk, index): Row[] => [
      { kind: "hunk", text: hunkHeader(hunk), action: hunkActions?.[index] },
      ...lineRows(hunk, path, false),
    ]),
  ];
}

interface RowProps {
  row: Row;
  /** The row may go with its action: the focus stays in the comparison. */
  onAction: () => void;
}

function RowOf({ row, onAction }: RowProps) {
  if (row.kind !== "head" && row.kind !== "hunk") return <LineRow row={row} onExpand={undefined} />;
  const { action } = row;
  return (
    <div className={`line ${row.kind}`}>
      {row.kind === "hunk" ? (
        <span className="grow clip">{row.text}</span>
      ) : (
        <>
          <b className="clip">{visibleText(row.path)}</b> <span className="meta grow">{row.note}</span>
        </>
      )}
      {action && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={action.name}
          onClick={() => {
            action.run();
            onAction();
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  );
}
