import { useQuery } from "@tanstack/react-query";
import { Plus, UnfoldVertical } from "lucide-react";
import { useCallback, type ReactNode } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { visibleText } from "../text/visible-text.ts";
import type { ChangeRow, Gap, Line } from "./rows.ts";
import { Words } from "./words.tsx";

/** Begins a comment on a line of the later version. */
export type OnComment = (path: string, line: number) => void;

interface Props {
  row: ChangeRow | { kind: "gap"; gap: Gap };
  /** Shows the unchanged lines of a gap; undefined if they can't be read. */
  onExpand: ((gap: Gap) => void) | undefined;
  onComment?: OnComment;
}

/** A line of a comparison, a pair of lines next to each other, or a gap between them. */
export function LineRow({ row, onExpand, onComment }: Props) {
  if (row.kind === "gap") return <GapRow gap={row.gap} onExpand={onExpand} />;
  if (row.kind === "line")
    return (
      <div className={`line ${row.line.kind}`}>
        <span className="number">{row.line.old}</span>
        <NowNumber line={row.line} path={row.path} onComment={onComment} />
        <Cell line={row.line} path={row.path} />
      </div>
    );
  return (
    <div className={row.left?.kind === "same" ? "line pair same" : "line pair"}>
      <Half line={row.left} path={row.path}>
        <span className="number">{row.left?.old}</span>
      </Half>
      <Half line={row.right} path={row.path}>
        {row.right && <NowNumber line={row.right} path={row.path} onComment={onComment} />}
      </Half>
    </div>
  );
}

/** Number of a line in the later version. The page also has a form for comments, so the lines are no tab stops. */
function NowNumber({
  line: { now },
  path,
  onComment,
}: {
  line: Line;
  path: string;
  onComment: OnComment | undefined;
}) {
  return (
    <span className="number">
      {onComment && now !== undefined && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Comment on line ${now} of ${visibleText(path)}`}
          onClick={() => onComment(path, now)}
        >
          <Plus size={14} aria-hidden="true" />
        </button>
      )}
      {now}
    </span>
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

function Half({ line, path, children }: { line: Line | undefined; path: string; children: ReactNode }) {
  if (!line) return <div className="half none" />;
  return (
    <div className={`half ${line.kind}`}>
      {children}
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
