import { TextInput } from "@mantine/core";
import { FileText, Search, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import type { Diff, Finding } from "../../../api/versions.ts";
import { Count } from "../../../parts/diff/diff-row.tsx";
import { countsOf } from "../../../parts/diff/rows.ts";
import { useKeys } from "../../../parts/keys.ts";
import { visibleText } from "../../../parts/visible-text.ts";

interface Props {
  diff: Diff;
  /** Index of the file at the top of the view. */
  chosen: number;
  findings: Finding[];
  onChoose: (index: number) => void;
}

/** The changed files with their numbers of lines, and the findings in the later version. */
export function ChangedFiles({ diff, chosen, findings, onChoose }: Props) {
  const [filter, setFilter] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useKeys({ f: () => field.current?.focus() });
  const words = filter.trim().toLowerCase();
  const files = diff.files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => file.path.toLowerCase().includes(words));
  return (
    <aside className="ctree" aria-label="Changed files">
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
      <p className="meta">
        {diff.files.length === 1 ? "1 file changed" : `${diff.files.length} files changed`}
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
          <span className="clip mono grow">{visibleText(file.path)}</span>
          {file.hunks.length > 0 && <Count {...countsOf(file)} />}
        </button>
      ))}
      {findings.length > 0 && (
        <>
          <p className="meta">Findings</p>
          {findings.map((finding) => (
            <div key={finding.id} className="row" title={visibleText(finding.message)}>
              <TriangleAlert size={14} className={finding.reviewed ? "dim" : "warn"} />
              <span className="clip grow">{finding.rule}</span>
              <span className="meta mono clip">
                {visibleText(finding.path)}
                {finding.line !== undefined && `:${finding.line}`}
              </span>
            </div>
          ))}
        </>
      )}
      <p className="meta row wrap">
        <span className="kbd">N</span> next change <span className="kbd">P</span> previous
      </p>
    </aside>
  );
}
