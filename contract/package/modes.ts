/** Which files of a package are executable. Pure. */
import { shownPath, type FileMode } from "../checks/package-rules.ts";

/** Files that are never run, whatever mode a system shows for them. */
const documents = new Set(
  (
    "adoc avif css csv doc docx gif htm html ico ini jpeg jpg json jsonc jsonl lock markdown md mdc mdx otf pdf png ppt " +
    "pptx rst svg toml tsv ttf txt webp woff woff2 xls xlsx xml yaml yml"
  ).split(" "),
);

const isDocument = (path: string) => documents.has(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "");

/** Bytes of a file from which `isProgram` decides. */
export const programStart = 4;

/**
 * The mode of a file. `given`: what the source states, undefined for a system without modes, such as Windows. There, a
 * file keeps the mode of the version before (`before`), and a new one is executable if it begins as a program does.
 * `start`: its first bytes.
 */
export async function packageMode(
  path: string,
  given: FileMode | undefined,
  { before, start }: { before?: FileMode; start: () => Promise<Uint8Array> },
): Promise<FileMode> {
  if (isDocument(path)) return "100644";
  return given ?? before ?? (isProgram(await start()) ? "100755" : "100644");
}

interface Moded {
  path: string;
  mode: FileMode;
  /** Id or digest of the content. */
  oid: string;
}

const namedFiles = 10;

/** The sentence about a version that differs from the one before by modes alone; undefined for any other. */
export function modesOnlySentence(before: readonly Moded[], after: readonly Moded[]): string | undefined {
  const known = new Map(before.map((file) => [file.path, file]));
  if (known.size !== after.length || after.some(({ path, oid }) => known.get(path)?.oid !== oid))
    return undefined;
  const changed = after.filter(({ path, mode }) => known.get(path)?.mode !== mode);
  const parts = (["100644", "100755"] as const).flatMap((mode) => {
    const paths = changed.filter((file) => file.mode === mode).map(({ path }) => shownPath(path));
    if (paths.length === 0) return [];
    const more = paths.length > namedFiles ? `, and ${paths.length - namedFiles} more` : "";
    const named = paths.slice(0, namedFiles).join(", ") + more;
    return [mode === "100755" ? `executable now: ${named}` : `not executable any more: ${named}`];
  });
  return parts.length === 0 ? undefined : `Only file modes changed; ${parts.join("; ")}.`;
}

/** Whether the mode of a file does not depend on its content. */
export function hasMode(path: string, given: FileMode | undefined): boolean {
  return given !== undefined || isDocument(path);
}

/** A script with `#!`, or a program of Linux or macOS. */
function isProgram(start: Uint8Array): boolean {
  const [a, b, c, d] = start;
  if (a === 0x23 && b === 0x21) return true;
  if (a === 0x7f && b === 0x45 && c === 0x4c && d === 0x46) return true;
  const word = start.length < 4 ? 0 : ((a! << 24) | (b! << 16) | (c! << 8) | d!) >>> 0;
  return [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe].includes(word);
}
