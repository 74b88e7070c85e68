import { TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Check, FileText, Search, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Diff, Finding } from "../../../api/skills/versions.ts";
import { Count } from "../../../parts/diff/diff-row.tsx";
import { countsOf, type ViewedFiles } from "../../../parts/diff/rows.ts";
import { useKeys } from "../../../parts/keys.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { fileLink } from "../findings/file-link.ts";

interface Props {
  diff: Diff;
  /** Index of the file at the top of the view. */
  chosen: number;
  /** The later version. */
  to: string;
  findings: Finding[];
  viewed: ViewedFiles;
  onChoose: (index: number) => void;
  /** Shows a finding in the comparison; false if it is not part of it. */
  onFinding: (id: string) => boolean;
}

/** The changed files with their numbers of lines, and the findings in the later version. */
export function ChangedFiles({ diff, chosen, to, findings, viewed, onChoose, onFinding }: Props) {
  const [filter, setFilter] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useKeys({ f: () => field.current?.focus() });
  const words = filter.trim().toLowerCase();
  const files = diff.files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => file.path.toLowerCase().includes(words));
  return (
    <aside className="changed-files" aria-label="Changed files">
      <TextInput
        ref={field}
        size="xs"
        aria-label="Filter files"
        placeholder="Filter files"
        leftSection={<Search size={14} />}
        rightSection={<span className="kbd">F</span>}
        value={filter}
        maxLength={200}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <p className="meta" role="status">
        {countText(diff.files.length, "file changed", "files changed")}
        {countOf(diff, viewed) > 0 && `, ${countOf(diff, viewed)} viewed`}
      </p>
      {files.map(({ file, index }) => (
        <button
          key={file.path}
          type="button"
          className="row"
          aria-current={index === chosen ? "true" : undefined}
          title={visibleText(file.path)}
          onClick={() => onChoose(index)}
        >
          <FileText size={14} />
          <span className={`clip mono grow${viewed.has(file.path) ? " dim" : ""}`}>
            {visibleText(file.path)}
          </span>
          {viewed.has(file.path) && <Check size={14} className="ok" role="img" aria-label="viewed" />}
          {file.hunks.length > 0 && <Count {...countsOf(file)} />}
        </button>
      ))}
      <FindingLinks to={to} findings={findings} onFinding={onFinding} />
      <p className="meta row wrap">
        <span className="kbd">N</span> next change <span className="kbd">P</span> previous{" "}
        <span className="kbd">V</span> viewed
      </p>
    </aside>
  );
}

const countOf = ({ files }: Diff, viewed: ViewedFiles) => files.filter(({ path }) => viewed.has(path)).length;

/** Lead to the line in the comparison, or to the file where it is not part of it. */
function FindingLinks({ to, findings, onFinding }: Pick<Props, "to" | "findings" | "onFinding">) {
  const { org, slug } = useSkillAddress();
  if (findings.length === 0) return null;
  return (
    <>
      <p className="meta">Findings in {to}</p>
      {findings.map((finding) => (
        <Link
          key={finding.id}
          className="row"
          {...fileLink({ org, slug, version: to }, finding)}
          title={visibleText(finding.message)}
          onClick={(event) => {
            if (onFinding(finding.id)) event.preventDefault();
          }}
        >
          <TriangleAlert size={14} className={finding.reviewed ? "dim" : "warn"} />
          <span className="clip grow">{finding.rule}</span>
          <span className="meta mono clip">
            {visibleText(finding.path)}
            {finding.line !== undefined && `:${finding.line}`}
          </span>
        </Link>
      ))}
    </>
  );
}
