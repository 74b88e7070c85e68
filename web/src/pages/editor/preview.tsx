import { useEffect, useMemo, useState } from "react";
import { cutFences } from "../../../../contract/document/frontmatter.ts";
import { Markdown } from "../../parts/markdown/markdown.tsx";
import { renderMarkdown } from "../../parts/markdown/render.ts";
import { withType } from "./files/dropped-files.ts";
import type { WorkFile } from "./working-set.ts";

/** Characters that are shown: rendering more on each pause in typing would be felt. */
const shownCharacters = 100_000;

interface Props {
  path: string;
  text: string;
  files: readonly WorkFile[];
  /** Address of a file of the base. */
  addressOf: (path: string) => string;
}

/** The text as readers will see it, with the pictures that were added. */
export function Preview({ path, text, files, addressOf }: Props) {
  const added = useAddedFiles(files);
  const body = cutFences(text)?.body ?? text;
  const rendered = useMemo(() => {
    const from = new Map(files.map((file) => [file.path, file.from ?? file.path]));
    return renderMarkdown(body.slice(0, shownCharacters), {
      path,
      has: (file) => from.has(file),
      address: (file) => added.get(file) ?? addressOf(from.get(file) ?? file),
      // Links to other files would leave the editor.
      page: () => "#preview",
    });
  }, [path, body, files, added, addressOf]);
  return (
    <div className="preview" tabIndex={0} role="region" aria-label="Preview">
      {rendered ? (
        <Markdown rendered={rendered} />
      ) : (
        <p className="sub">This text is too long for a preview.</p>
      )}
      {rendered && body.length > shownCharacters && (
        <p className="meta">The preview shows the first {shownCharacters.toLocaleString("en")} characters.</p>
      )}
    </div>
  );
}

/** Addresses of bytes that are in this browser only. */
function useAddedFiles(files: readonly WorkFile[]): ReadonlyMap<string, string> {
  const [addresses, setAddresses] = useState<ReadonlyMap<string, string>>(new Map());
  const blobs = files.filter((file) => file.data instanceof Blob);
  const identity = blobs.map(({ path, data }) => `${path} ${(data as Blob).size}`).join("\n");
  useEffect(() => {
    const made = new Map(
      blobs.map(({ path, data }) => [path, URL.createObjectURL(withType(path, data as Blob))]),
    );
    setAddresses(made);
    return () => {
      for (const address of made.values()) URL.revokeObjectURL(address);
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the identity stands for the files
  }, [identity]);
  return addresses;
}
