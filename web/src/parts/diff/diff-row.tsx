import { Button, Checkbox } from "@mantine/core";
import { ChevronDown, ChevronRight, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { DiffFile, Finding } from "../../api/skills/versions.ts";
import { visibleText } from "../text/visible-text.ts";
import { LineRow, type OnComment } from "./line-row.tsx";
import { countsOf, type Gap, type Row, type ViewedFiles } from "./rows.ts";

interface Props {
  row: Row;
  isOpen: (file: DiffFile) => boolean;
  onToggle: (file: DiffFile) => void;
  /** Marks a finding as reviewed; undefined if the caller may not. */
  onReview: ((finding: Finding) => void) | undefined;
  viewed: ViewedFiles;
  /** Shows the unchanged lines of a gap; undefined if they can't be read. */
  onExpand: ((gap: Gap) => void) | undefined;
  onComment: OnComment | undefined;
}

/** One row of a comparison. */
export const DiffRow = memo(function DiffRow(props: Props) {
  const { row, isOpen, onToggle, onReview, viewed, onExpand, onComment } = props;
  switch (row.kind) {
    case "file":
      return <FileRow file={row.file} isOpen={isOpen(row.file)} onToggle={onToggle} viewed={viewed} />;
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
    case "comment":
      return (
        <div className="line comment">
          {!row.isAtLine && row.comment.line !== undefined && <p className="meta">line {row.comment.line}</p>}
          {row.comment.content}
        </div>
      );
    default:
      return <LineRow row={row} onExpand={onExpand} onComment={onComment} />;
  }
});

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
  <span className="count" aria-label={`${countText(added, "line")} added, ${removed} removed`} role="img">
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
