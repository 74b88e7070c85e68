/** The files that the user dropped or chose: a folder, files, or a zip of them. Nothing is sent. */
import { limits } from "../../../../../contract/limits.ts";
import { checkFiles } from "../../../../../contract/package/check-files.ts";
import { ignoreLimits } from "../../../../../contract/package/ignore-patterns.ts";
import { selectFiles } from "../../../../../contract/package/leave-out.ts";
import { reasonByNameOf, type LeftOut } from "../../../../../contract/package/left-out.ts";
import { unpackFile } from "../../../parts/zip/client.ts";
import type { DroppedFile } from "../../../parts/zip/format.ts";
import { severalSkills, withMode } from "../../../parts/zip/read-zip.ts";

export interface Found {
  files: DroppedFile[];
  leftOut: LeftOut[];
}

interface Listed {
  path: string;
  file: File;
}

/** Files that are listed; a folder with more is not a skill. */
const maxListed = 20_000;

/** Files of a drag. Its entries have to be taken before anything is awaited. */
export async function filesOfDrop(data: DataTransfer): Promise<Found> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const leftOut: LeftOut[] = [];
  const listed: Listed[] = [];
  for (const entry of entries) await listEntry(entry, listed, leftOut);
  return collect(listed, leftOut);
}

/** Files of a field for files or for a folder. */
export function filesOfField(chosen: FileList): Promise<Found> {
  return collect(
    [...chosen].map((file) => ({ path: file.webkitRelativePath || file.name, file })),
    [],
  );
}

/** Does not read folders that are left out by their name, which may have very many files. */
async function listEntry(entry: FileSystemEntry, listed: Listed[], leftOut: LeftOut[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    if (listed.length >= maxListed)
      throw new Error("The folder has too many files for a skill. Choose another one.");
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    listed.push({ path, file });
    return;
  }
  const reason = reasonByNameOf(entry.name);
  if (reason !== undefined) {
    leftOut.push({ path: `${path}/`, reason });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A folder is read in parts of at most 100 entries.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    for (const child of part) await listEntry(child, listed, leftOut);
  }
}

async function collect(listed: Listed[], alreadyLeftOut: LeftOut[]): Promise<Found> {
  const [only] = listed;
  if (listed.length === 1 && /\.(?:zip|skill)$/i.test(only!.path)) return unpackFile(only!.file);
  const selected = await selectFiles(listed, ({ file }) =>
    file.size > ignoreLimits.bytes ? "" : file.text(),
  );
  checkFiles(
    selected.files.map(({ path, entry }) => ({ path, size: entry.file.size, isLink: false })),
    severalSkills,
  );
  const outer = selected.folder === "" ? "" : `${selected.folder}/`;
  const leftOut = alreadyLeftOut.map((one) =>
    one.path.startsWith(outer) ? { ...one, path: one.path.slice(outer.length) } : one,
  );
  const files = await Promise.all(
    selected.files.map(async ({ path, entry: { file } }) => ({
      ...(await withMode(path, file)),
      data: file,
    })),
  );
  return { files, leftOut: [...leftOut, ...selected.leftOut] };
}

/** Text of a file, or undefined for one that is not text or too large to edit. */
export async function textOfBlob(blob: Blob): Promise<string | undefined> {
  if (blob.size > limits.inlineFileBytes) return undefined;
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A picture in a blob without a type is not shown for SVG. */
export function withType(path: string, blob: Blob): Blob {
  return /\.svg$/i.test(path) ? new Blob([blob], { type: "image/svg+xml" }) : blob;
}
