import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, TriangleAlert } from "lucide-react";
import { memo, useCallback } from "react";
import type { DiffFile, Finding } from "../../api/versions.ts";
import { visibleText } from "../visible-text.ts";
import { countsOf, type Line, type Row } from "./rows.ts";
import { Words } from "./words.tsx";

interface Props {
  row: Row;
  isOpen: (file: DiffFile) => boolean;
  onToggle: (file: DiffFile) => void;
  /** Marks a finding as reviewed; undefined if the caller may not. */
  onReview: ((finding: Finding) => void) | undefined;
}

/** One row of a comparison. */
export const DiffRow = memo(function DiffRow({ row, isOpen, onToggle, onReview }: Props) {
  switch (row.kind) {
    case "file":
      return <FileRow file={row.file} isOpen={isOpen(row.file)} onToggle={onToggle} />;
    case "hunk":
      return <div className="l hunk">{row.text}</div>;
    case "note":
      return (
        <div className="l note1">
          {row.text}
          {row.canShow && (
            <button type="button" className="btn sm" onClick={() => onToggle(row.file)}>
              Show them
            </button>
          )}
        </div>
      );
    case "finding":
      return <FindingRow finding={row.finding} onReview={onReview} />;
    case "line":
      return (
        <div className={`l ${row.line.kind}`}>
          <span className="n">{row.line.old}</span>
          <span className="n">{row.line.now}</span>
          <Cell line={row.line} path={row.path} />
        </div>
      );
    default:
      return (
        <div className="l pair">
          <Half line={row.left} number={row.left?.old} path={row.path} />
          <Half line={row.right} number={row.right?.now} path={row.path} />
        </div>
      );
  }
});

function Half({ line, number, path }: { line: Line | undefined; number: number | undefined; path: string }) {
  if (!line) return <div className="half none" />;
  return (
    <div className={`half ${line.kind}`}>
      <span className="n">{number}</span>
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
      <span className="s" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span className="c">
        {line.kind !== "same" && <span className="sr">{spoken[line.kind]}</span>}
        <Words line={line} highlight={highlight} />
      </span>
    </>
  );
}

interface FileProps {
  file: DiffFile;
  isOpen: boolean;
  onToggle: (file: DiffFile) => void;
}

function FileRow({ file, isOpen, onToggle }: FileProps) {
  const { added, removed } = countsOf(file);
  const path = visibleText(file.path);
  return (
    <div className="l file">
      <button
        type="button"
        className="row"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? "Collapse" : "Expand"} ${path}`}
        onClick={() => onToggle(file)}
      >
        {isOpen ? <ChevronDown size={16} /> : <ChevronRight size={16} />}
      </button>
      <h2 className="mono clip grow">
        {file.from !== undefined && <span className="dim">{visibleText(file.from)} to </span>}
        {path}
      </h2>
      {file.status !== "modified" && <span className="badge">{file.status}</span>}
      {file.hunks.length > 0 && <Count added={added} removed={removed} />}
    </div>
  );
}

export const Count = ({ added, removed }: { added: number; removed: number }) => (
  <span className="count" aria-label={`${added} lines added, ${removed} removed`} role="img">
    <span className="ok">+{added}</span> <span className="danger">−{removed}</span>
  </span>
);

function FindingRow({ finding, onReview }: { finding: Finding; onReview: Props["onReview"] }) {
  return (
    <div className="l finding">
      <p className={finding.reviewed ? "note" : "note warn"}>
        <TriangleAlert className="i" aria-hidden="true" />
        <span className="grow">
          {visibleText(finding.message)}
          <span className="meta">
            {" "}
            rule {finding.rule} · first seen in {finding.firstSeen.semver}
            {finding.reviewed && " · reviewed"}
          </span>
        </span>
        {onReview && !finding.reviewed && (
          <button type="button" className="btn sm" onClick={() => onReview(finding)}>
            Mark as reviewed
          </button>
        )}
      </p>
    </div>
  );
}
