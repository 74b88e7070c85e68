import "./diff.css";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState, type Ref } from "react";
import type { Diff, DiffFile, Finding } from "../../api/skills/versions.ts";
import { DiffRow } from "./diff-row.tsx";
import type { OnComment } from "./line-row.tsx";
import {
  digitsOf,
  isOpenAtFirst,
  toRows,
  type Gap,
  type LineComment,
  type OpenGaps,
  type Row,
  type ViewedFiles,
} from "./rows.ts";

const heights = { file: 52, gap: 28, note: 46, finding: 72, comment: 72, line: 20, pair: 20 };

export interface DiffHandle {
  /** Scrolls to the next change, or with -1 to the previous one. */
  moveChange: (step: 1 | -1) => void;
  showFile: (index: number) => void;
  /** False if the finding is in no changed file, or that file is collapsed. */
  showFinding: (id: string) => boolean;
}

interface Props {
  diff: Diff;
  isSplit: boolean;
  findings: Finding[];
  onReview: ((finding: Finding) => void) | undefined;
  comments?: readonly LineComment[];
  /** Begins a comment on a line. */
  onComment?: OnComment;
  /** Files that the reader has marked as viewed, which are collapsed. */
  viewed: ViewedFiles;
  handle: Ref<DiffHandle>;
  /** The element that scrolls. */
  scroller: () => HTMLElement | null;
  /** Reports the file at the top of the view. */
  onFile: (index: number) => void;
  /** Reads the later text of a file, for its unchanged lines. */
  readLines: (path: string) => Promise<string[]>;
}

const startsChange = (row: Row | undefined) =>
  (row?.kind === "line" || row?.kind === "pair") && row.startsChange;

/** The rows of a comparison; only those in view are drawn, whose heights are measured as lines wrap. */
export function DiffRows({
  diff,
  isSplit,
  findings,
  onReview,
  comments,
  onComment,
  viewed,
  handle,
  scroller,
  onFile,
  readLines,
}: Props) {
  const { isOpen, toggle } = useOpenFiles(viewed);
  const { openGaps, expand } = useOpenGaps(readLines);
  const rows = useMemo(
    () => toRows(diff, { isSplit, isOpen, findings, comments, openGaps }),
    [diff, isSplit, isOpen, findings, comments, openGaps],
  );
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
    showFinding(id) {
      const row = rows.findIndex((one) => one.kind === "finding" && one.finding.id === id);
      if (row < 0) return false;
      setAt(row);
      view.scrollToIndex(row, { align: "center" });
      return true;
    },
  }));
  const drawn = view.getVirtualItems();
  useFileInView(rows, view.range?.startIndex ?? 0, onFile);
  return (
    <div
      ref={list}
      className="diff"
      style={{ ...digitsOf(diff.files), height: view.getTotalSize(), position: "relative" }}
    >
      {drawn.map(({ index, start, key }) => (
        <div
          key={key}
          ref={view.measureElement}
          data-index={index}
          className={index === at && rows[index]?.kind !== "file" ? "current" : undefined}
          style={{ position: "absolute", left: 0, right: 0, transform: `translateY(${start - margin}px)` }}
        >
          <DiffRow
            row={rows[index]!}
            isOpen={isOpen}
            onToggle={toggle}
            onReview={onReview}
            viewed={viewed}
            onExpand={expand}
            onComment={onComment}
          />
        </div>
      ))}
    </div>
  );
}

/** Files that are open: small ones that are not viewed, unless the user decides otherwise. */
function useOpenFiles({ has }: ViewedFiles) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  // A decision holds until the file is marked as viewed, or that is undone.
  const keyOf = useCallback((file: DiffFile) => `${has(file.path)} ${file.path}`, [has]);
  const isOpen = useCallback(
    (file: DiffFile) => (isOpenAtFirst(file) && !has(file.path)) !== toggled.has(keyOf(file)),
    [toggled, has, keyOf],
  );
  const toggle = useCallback(
    (file: DiffFile) =>
      setToggled((old) => {
        const next = new Set(old);
        if (!next.delete(keyOf(file))) next.add(keyOf(file));
        return next;
      }),
    [keyOf],
  );
  return { isOpen, toggle };
}

/** Gaps whose lines are shown. A file that can't be read as text keeps its gaps. */
function useOpenGaps(readLines: Props["readLines"]) {
  const [openGaps, setOpenGaps] = useState<ReadonlyMap<string, OpenGaps>>(new Map());
  const expand = useCallback(
    ({ file: { path }, from }: Gap) =>
      void readLines(path).then(
        (lines) =>
          setOpenGaps((old) =>
            new Map(old).set(path, { lines, from: new Set([...(old.get(path)?.from ?? []), from]) }),
          ),
        () => undefined,
      ),
    [readLines],
  );
  return { openGaps, expand };
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
