import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, TriangleAlert } from "lucide-react";
import { memo, useCallback } from "react";
import type { DiffFile, Finding } from "../../api/versions.ts";
import { visibleText } from "../visible-text.ts";
import { countsOf, type Line, type Row, type ViewedFiles } from "./rows.ts";
import { Words } from "./words.tsx";

interface Props {
  row: Row;
  isOpen: (file: DiffFile) => boolean;
  onToggle: (file: DiffFile) => void;
  /** Marks a finding as reviewed; undefined if the caller may not. */
  onReview: ((finding: Finding) => void) | undefined;
  viewed: ViewedFiles;
}

/** One row of a comparison. */
export const DiffRow = memo(function DiffRow({ row, isOpen, onToggle, onReview, viewed }: Props) {
  switch (row.kind) {
    case "file":
      return <FileRow file={row.file} isOpen={isOpen(row.file)} onToggle={onToggle} viewed={viewed} />;
    case "hunk":
      return <div className="line hunk">{row.text}</div>;
    case "note":
      return (
        <div className="line remark">
          {row.text}
          {row.canShow && (
            <Button size="xs" variant="default" onClick={() => onToggle(row.file)}>
              Show them
            </Button>
          )}
        </div>
      );
    case "finding":
      return <FindingRow finding={row.finding} isAtLine={row.isAtLine} onReview={onReview} />;
    case "line":
      return (
        <div className={`line ${row.line.kind}`}>
          <span className="number">{row.line.old}</span>
          <span className="number">{row.line.now}</span>
          <Cell line={row.line} path={row.path} />
        </div>
      );
    default:
      return (
        <div className="line pair">
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
      </span>
    </>
  );
}

interface FileProps {
  file: DiffFile;
  isOpen: boolean;
  onToggle: (file: DiffFile) => void;
  viewed: ViewedFiles;
}

function FileRow({ file, isOpen, onToggle, viewed }: FileProps) {
  const { added, removed } = countsOf(file);
  const path = visibleText(file.path);
  return (
    <div className="line file">
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
      <Checkbox
        size="xs"
        label="Viewed"
        aria-label={`Viewed ${path}`}
        checked={viewed.has(file.path)}
        onChange={(event) => viewed.mark(file.path, event.currentTarget.checked)}
      />
    </div>
  );
}

export const Count = ({ added, removed }: { added: number; removed: number }) => (
  <span className="count" aria-label={`${added} lines added, ${removed} removed`} role="img">
    <span className="ok">+{added}</span> <span className="danger">−{removed}</span>
  </span>
);

function FindingRow({
  finding,
  isAtLine,
  onReview,
}: {
  finding: Finding;
  isAtLine: boolean;
  onReview: Props["onReview"];
}) {
  return (
    <div className="line finding">
      <p className={finding.reviewed ? "note" : "note warn"}>
        <TriangleAlert className="icon" aria-hidden="true" />
        <span className="grow">
          {visibleText(finding.message)}
          <span className="meta">
            {" "}
            {!isAtLine && finding.line !== undefined && `line ${finding.line} · `}rule {finding.rule} · first
            seen in {finding.firstSeen.semver}
            {finding.reviewed && " · reviewed"}
          </span>
        </span>
        {onReview && !finding.reviewed && (
          <Button size="xs" variant="default" onClick={() => onReview(finding)}>
            Mark as reviewed
          </Button>
        )}
      </p>
    </div>
  );
}
