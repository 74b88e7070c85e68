import { Button } from "@mantine/core";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { fileAddress, type FileBytes, type Manifest, type ManifestFile } from "../../../api/skills/skills.ts";
import { CodeLines, type LineRange } from "../../../parts/code/code-lines.tsx";
import { Markdown } from "../../../parts/markdown/markdown.tsx";
import { renderMarkdown } from "../../../parts/markdown/render.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { useLinkedFiles } from "../linked-files.ts";
import { Frontmatter } from "../readme/frontmatter.tsx";
import { readFrontmatter } from "../readme/read-frontmatter.ts";
import { hexLines, hexBytes } from "./hex.ts";

interface Props {
  manifest: Manifest;
  file: ManifestFile;
  content: FileBytes;
  kind: "source" | "picture" | "markdown";
  onSource: () => void;
}

/** The content of a file: a picture, Markdown, lines of text, or bytes. */
export function FileBody(props: Props) {
  const { file, content, kind, manifest } = props;
  const { ref } = useSkillAddress();
  if (kind === "picture") {
    const address = fileAddress(ref, file.path, manifest.semver);
    return (
      <div className="body picture">
        <img src={address} alt={visibleText(file.path.split("/").at(-1) ?? "")} />
      </div>
    );
  }
  if (content.text === undefined) return <Hex content={content} />;
  if (kind === "markdown") return <Read {...props} text={content.text} />;
  return (
    <>
      {!content.isWhole && <Beginning file={file} content={content} />}
      <Source text={content.text} path={file.path} />
    </>
  );
}

const Beginning = ({ file, content }: { file: ManifestFile; content: FileBytes }) => (
  <p className="body meta">
    The first {bytesText(content.bytes.length)} of {bytesText(file.size)}. Download the file to read the rest.
  </p>
);

function Read({ manifest, file, content, text, onSource }: Props & { text: string }) {
  const files = useLinkedFiles(manifest, file.path);
  const parts = useMemo(() => readFrontmatter(text), [text]);
  const rendered = useMemo(
    () => (content.isWhole ? renderMarkdown(parts.body, files) : undefined),
    [content.isWhole, parts, files],
  );
  if (!rendered) {
    return (
      <p className="body sub">
        This text is too large to show as a page.{" "}
        <Button size="xs" variant="default" onClick={onSource}>
          Show the source
        </Button>
      </p>
    );
  }
  return (
    <>
      <Frontmatter parts={parts} />
      <Markdown rendered={rendered} />
    </>
  );
}

/** Lines whose selection is in the address: `#L4` or `#L4-9`. */
function Source({ text, path }: { text: string; path: string }) {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const select = ({ from, to }: LineRange) =>
    void navigate({
      to: ".",
      search: true,
      hash: from === to ? `L${from}` : `L${from}-${to}`,
      replace: true,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  return <CodeLines text={text} path={path} selected={rangeOf(hash)} onSelect={select} />;
}

function rangeOf(hash: string): LineRange | undefined {
  const [, from, to] = /^L(\d{1,7})(?:-(\d{1,7}))?$/.exec(hash) ?? [];
  if (from === undefined) return undefined;
  const [a, b] = [Number(from), Number(to ?? from)];
  return { from: Math.max(1, Math.min(a, b)), to: Math.max(a, b) };
}

function Hex({ content }: { content: FileBytes }) {
  const isCut = content.bytes.length > hexBytes || !content.isWhole;
  return (
    <>
      <p className="body meta">
        This file is not text. {isCut ? `Its first ${bytesText(hexBytes)}:` : "Its bytes:"}
      </p>
      <pre className="hex" tabIndex={0} aria-label="Bytes of the file">
        {hexLines(content.bytes)}
      </pre>
    </>
  );
}
