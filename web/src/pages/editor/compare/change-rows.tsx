import { Button } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useRef } from "react";
import { visibleText } from "../../../parts/visible-text.ts";
import type { Row, RowAction } from "./compare-texts.ts";

const rowHeight = 20;
const actionHeight = 28;
const signs = { add: "+", del: "−", same: "" } as const;

/** Rows of a comparison, of which only those in view are drawn. */
export function ChangeRows({ rows, label }: { rows: readonly Row[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (actionOf(rows[index]) ? actionHeight : rowHeight),
    // Another function for other rows, of which the heights are computed again.
    getItemKey: useCallback((index: number) => `${index} ${rows[index]?.kind}`, [rows]),
    overscan: 20,
  });
  return (
    <div className="changes" ref={box} role="region" aria-label={label} tabIndex={0}>
      <div style={{ height: view.getTotalSize(), position: "relative" }}>
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

const actionOf = (row: Row | undefined) => (row && "action" in row ? row.action : undefined);

interface RowProps {
  row: Row;
  onAction: () => void;
}

function RowOf({ row, onAction }: RowProps) {
  const action = actionOf(row);
  if (row.kind === "file" || row.kind === "hunk")
    return (
      <div className={`line ${row.kind} ${action ? "with-action" : ""}`}>
        {row.kind === "hunk" ? (
          row.text
        ) : (
          <>
            <b className="clip">{row.text}</b> <span className="meta">{row.note}</span>
          </>
        )}
        {action && <ActionButton action={action} onAction={onAction} />}
      </div>
    );
  return (
    <div className={`line ${row.kind}`}>
      <span className="line-number">{row.line}</span>
      <span className="sign">
        <span aria-hidden="true">{signs[row.kind]}</span>
        {row.kind !== "same" && (
          <span className="visually-hidden">{row.kind === "add" ? "added" : "removed"}</span>
        )}
      </span>
      <span className="text">{visibleText(row.text)}</span>
    </div>
  );
}

/** The row may go with its action: the focus stays in the comparison. */
function ActionButton({ action, onAction }: { action: RowAction; onAction: () => void }) {
  const run = () => {
    action.run();
    onAction();
  };
  return (
    <Button size="compact-xs" variant="default" aria-label={action.name} onClick={run}>
      {action.label}
    </Button>
  );
}
