import { useQuery } from "@tanstack/react-query";
import { UnfoldVertical } from "lucide-react";
import { useCallback } from "react";
import { countText } from "../../../../contract/count-text.ts";
import { visibleText } from "../visible-text.ts";
import type { ChangeRow, Gap, Line } from "./rows.ts";
import { Words } from "./words.tsx";

interface Props {
  row: ChangeRow | { kind: "gap"; gap: Gap };
  /** Shows the unchanged lines of a gap; undefined if they can't be read. */
  onExpand: ((gap: Gap) => void) | undefined;
}

/** A line of a comparison, a pair of lines next to each other, or a gap between them. */
export function LineRow({ row, onExpand }: Props) {
  if (row.kind === "gap") return <GapRow gap={row.gap} onExpand={onExpand} />;
  if (row.kind === "line")
    return (
      <div className={`line ${row.line.kind}`}>
        <span className="number">{row.line.old}</span>
        <span className="number">{row.line.now}</span>
        <Cell line={row.line} path={row.path} />
      </div>
    );
  return (
    <div className={row.left?.kind === "same" ? "line pair same" : "line pair"}>
      <Half line={row.left} number={row.left?.old} path={row.path} />
      <Half line={row.right} number={row.right?.now} path={row.path} />
    </div>
  );
}

function GapRow({ gap, onExpand }: { gap: Gap; onExpand: Props["onExpand"] }) {
  const lines = gap.to === undefined ? "the lines below" : countText(gap.to - gap.from + 1, "unchanged line");
  return (
    <div className="line gap">
      {onExpand ? (
        <button type="button" className="row" onClick={() => onExpand(gap)}>
          <UnfoldVertical size={14} aria-hidden="true" /> Show {lines}
        </button>
      ) : (
        gap.to !== undefined && <span>{lines}</span>
      )}
      {gap.section !== undefined && <span className="clip mono">{visibleText(gap.section)}</span>}
    </div>
  );
}

function Half({ line, number, path }: { line: Line | undefined; number: number | undefined; path: string }) {
  if (!line) return <div className="half none" />;
  return (
    <div className={`half ${line.kind}`}>
      <span className="number">{number}</span>
      <Cell line={line} path={path} />
    </div>
  );
}

const signs = { add: "+", del: "−", same: "" };
const spoken = { add: "Added: ", del: "Removed: ", same: "" };

function Cell({ line, path }: { line: Line; path: string }) {
  const { data } = useQuery({
    queryKey: ["highlighter"],
    staleTime: Infinity,
    queryFn: () => import("../code/highlight.ts"),
  });
  const highlight = useCallback(
    (text: string) => data?.highlightLines(text, data.languageOf(path))?.[0],
    [data, path],
  );
  return (
    <>
      <span className="sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span className="text">
        {line.kind !== "same" && <span className="visually-hidden">{spoken[line.kind]}</span>}
        <Words line={line} highlight={highlight} />
        {line.isUnterminated && <span className="unterminated">No newline at end of file</span>}
      </span>
    </>
  );
}
