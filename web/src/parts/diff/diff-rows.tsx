import "./diff.css";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState, type Ref } from "react";
import type { Diff, DiffFile, Finding } from "../../api/versions.ts";
import { DiffRow } from "./diff-row.tsx";
import { isOpenAtFirst, toRows, type Row } from "./rows.ts";

const heights = { file: 52, hunk: 20, note: 46, finding: 72, line: 20, pair: 20 };

export interface DiffHandle {
  /** Scrolls to the next change, or with -1 to the previous one. */
  moveChange: (step: 1 | -1) => void;
  showFile: (index: number) => void;
}

interface Props {
  diff: Diff;
  isSplit: boolean;
  findings: Finding[];
  onReview: ((finding: Finding) => void) | undefined;
  handle: Ref<DiffHandle>;
  /** The element that scrolls. */
  scroller: () => HTMLElement | null;
  /** Reports the file at the top of the view. */
  onFile: (index: number) => void;
}

const startsChange = (row: Row | undefined) =>
  (row?.kind === "line" || row?.kind === "pair") && row.startsChange;

/** The rows of a comparison; only those in view are drawn, whose heights are measured as lines wrap. */
export function DiffRows({ diff, isSplit, findings, onReview, handle, scroller, onFile }: Props) {
  const { isOpen, toggle } = useOpenFiles();
  const rows = useMemo(() => toRows(diff, { isSplit, isOpen, findings }), [diff, isSplit, isOpen, findings]);
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const [at, setAt] = useState(-1);
  useEffect(() => setMargin(list.current?.offsetTop ?? 0), [rows]);
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: scroller,
    estimateSize: (index) => heights[rows[index]?.kind ?? "line"],
    overscan: 20,
    scrollMargin: margin,
  });
  useImperativeHandle(handle, () => ({
    moveChange(step) {
      let next = at + step;
      while (next >= 0 && next < rows.length && !startsChange(rows[next])) next += step;
      if (next < 0 || next >= rows.length) return;
      setAt(next);
      view.scrollToIndex(next, { align: "center" });
    },
    showFile(index) {
      const row = rows.findIndex((one) => one.kind === "file" && one.index === index);
      setAt(row);
      view.scrollToIndex(row, { align: "start" });
    },
  }));
  const drawn = view.getVirtualItems();
  useFileInView(rows, view.range?.startIndex ?? 0, onFile);
  return (
    <div ref={list} className="diff" style={{ height: view.getTotalSize(), position: "relative" }}>
      {drawn.map(({ index, start, key }) => (
        <div
          key={key}
          ref={view.measureElement}
          data-index={index}
          className={index === at && rows[index]?.kind !== "file" ? "at" : undefined}
          style={{ position: "absolute", left: 0, right: 0, transform: `translateY(${start - margin}px)` }}
        >
          <DiffRow row={rows[index]!} isOpen={isOpen} onToggle={toggle} onReview={onReview} />
        </div>
      ))}
    </div>
  );
}

/** Files that are open: small ones at first, and then as the user decides. */
function useOpenFiles() {
  const [toggled, setToggled] = useState<ReadonlySet<DiffFile>>(new Set());
  const isOpen = useCallback((file: DiffFile) => isOpenAtFirst(file) !== toggled.has(file), [toggled]);
  const toggle = useCallback(
    (file: DiffFile) =>
      setToggled((old) => {
        const next = new Set(old);
        if (!next.delete(file)) next.add(file);
        return next;
      }),
    [],
  );
  return { isOpen, toggle };
}

function useFileInView(rows: Row[], first: number, onFile: (index: number) => void): void {
  const index = useMemo(() => {
    for (let row = Math.min(first, rows.length - 1); row >= 0; row--) {
      const one = rows[row];
      if (one?.kind === "file") return one.index;
    }
    return 0;
  }, [rows, first]);
  useEffect(() => onFile(index), [index, onFile]);
}
