import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { visibleText } from "../../../parts/visible-text.ts";
import type { Row } from "./compare-texts.ts";

const rowHeight = 20;
const signs = { add: "+", del: "−", same: "" } as const;

/** Rows of a comparison, of which only those in view are drawn. */
export function ChangeRows({ rows, label }: { rows: readonly Row[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  return (
    <div className="changes" ref={box} role="region" aria-label={label} tabIndex={0}>
      <div style={{ height: view.getTotalSize(), position: "relative" }}>
        {view.getVirtualItems().map(({ index, start }) => (
          <RowOf key={index} row={rows[index]!} top={start} />
        ))}
      </div>
    </div>
  );
}

function RowOf({ row, top }: { row: Row; top: number }) {
  const style = { transform: `translateY(${top}px)` };
  if (row.kind === "file")
    return (
      <div className="l file" style={style}>
        <b className="clip">{row.text}</b> <span className="meta">{row.note}</span>
      </div>
    );
  if (row.kind === "hunk")
    return (
      <div className="l hunk" style={style}>
        {row.text}
      </div>
    );
  return (
    <div className={`l ${row.kind}`} style={style}>
      <span className="n">{row.line}</span>
      <span className="sign">
        <span aria-hidden="true">{signs[row.kind]}</span>
        {row.kind !== "same" && <span className="sr">{row.kind === "add" ? "added" : "removed"}</span>}
      </span>
      <span>{visibleText(row.text)}</span>
    </div>
  );
}
