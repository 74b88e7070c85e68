import { Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { FileText, List } from "lucide-react";
import { useMemo, useState } from "react";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { fileQuery, type Manifest, type ManifestFile } from "../../../api/skills/skills.ts";
import { CodeLines } from "../../../parts/code/code-lines.tsx";
import { Markdown } from "../../../parts/markdown/markdown.tsx";
import { renderMarkdown, type Rendered } from "../../../parts/markdown/render.ts";
import { Segments } from "../../../parts/page/segments.tsx";
import { useSkillAddress } from "../context.ts";
import { useLinkedFiles } from "../linked-files.ts";
import { Contents } from "./contents.tsx";
import { Frontmatter } from "./frontmatter.tsx";
import { readFrontmatter } from "./read-frontmatter.ts";

/** SKILL.md of a version: its frontmatter as a list, and its text to read or as source. */
export function SkillText({ manifest, file }: { manifest: Manifest; file: ManifestFile }) {
  const { ref } = useSkillAddress();
  const { data } = useSuspenseQuery(fileQuery(ref, file.path, manifest.semver));
  const source = data.text ?? "";
  const parts = useMemo(() => readFrontmatter(source), [source]);
  const files = useLinkedFiles(manifest, file.path);
  const rendered = useMemo(
    () => (data.isWhole ? renderMarkdown(parts.body, files) : undefined),
    [data.isWhole, parts, files],
  );
  const [isSource, setSource] = useState(false);
  const [isListed, setListed] = useState(false);
  return (
    <article className="panel readme">
      <header>
        <FileText size={16} aria-hidden="true" />
        <h2 className="mono">{file.path}</h2>
        <span className="meta grow">{bytesText(file.size)}</span>
        <Segments
          label="View"
          data={[
            { value: "read", label: "Read" },
            { value: "source", label: "Source" },
          ]}
          value={isSource ? "source" : "read"}
          onChange={(value) => setSource(value === "source")}
        />
        {rendered && rendered.headings.length > 1 && !isSource && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-label="Contents"
            aria-expanded={isListed}
            onClick={() => setListed(!isListed)}
          >
            <List size={16} />
          </Button>
        )}
      </header>
      {isSource ? (
        <CodeLines text={source} path={file.path} />
      ) : (
        <>
          <Frontmatter parts={parts} />
          {isListed && rendered && <Contents headings={rendered.headings} />}
          <Text rendered={rendered} onSource={() => setSource(true)} />
        </>
      )}
    </article>
  );
}

function Text({ rendered, onSource }: { rendered: Rendered | undefined; onSource: () => void }) {
  if (rendered) return <Markdown rendered={rendered} />;
  return (
    <div className="body stack gap-3">
      <p className="sub">
        This text is too large to show as a page. Read its source, or download the version.
      </p>
      <div>
        <Button variant="default" onClick={onSource}>
          Show the source
        </Button>
      </div>
    </div>
  );
}
