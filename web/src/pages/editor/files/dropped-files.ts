/** The files that the user dropped or chose: a folder, files, or a zip of them. Nothing is sent. */
import { limits } from "../../../../../contract/limits.ts";
import { sizeText } from "../../../../../contract/size-text.ts";
import { unpackFile } from "../../../parts/zip/client.ts";
import { isIgnoredPath } from "../../../parts/zip/ignored.ts";
import type { WorkFile } from "../working-set.ts";

export interface Found {
  files: WorkFile[];
  /** Paths that are never part of a skill. */
  ignored: string[];
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
  const ignored: string[] = [];
  const listed: Listed[] = [];
  for (const entry of entries) await listEntry(entry, listed, ignored);
  return collect(listed, ignored);
}

/** Files of a field for files or for a folder. */
export function filesOfField(chosen: FileList): Promise<Found> {
  const listed = [...chosen].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  const ignored = listed.filter(({ path }) => isIgnoredPath(path)).map(({ path }) => path);
  return collect(
    listed.filter(({ path }) => !isIgnoredPath(path)),
    ignored,
  );
}

async function listEntry(entry: FileSystemEntry, listed: Listed[], ignored: string[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  if (isIgnoredPath(path)) {
    ignored.push(path);
    return;
  }
  if (listed.length > maxListed)
    throw new Error("The folder has too many files for a skill. Choose another one.");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    listed.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A folder is read in parts of at most 100 entries.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    for (const child of part) await listEntry(child, listed, ignored);
  }
}

async function collect(listed: Listed[], ignored: string[]): Promise<Found> {
  const [only] = listed;
  if (listed.length === 1 && /\.(?:zip|skill)$/i.test(only!.path)) return unpack(only!.file, ignored);
  const total = listed.reduce((sum, { file }) => sum + file.size, 0);
  if (total > limits.packageUncompressedBytes)
    throw new Error(
      `The files have ${sizeText(total)}, over the ${sizeText(limits.packageUncompressedBytes)} of a package. ` +
        "Leave out what the skill does not need.",
    );
  const files = await Promise.all(
    listed.map(async ({ path, file }): Promise<WorkFile> => ({ path, mode: await modeOf(file), data: file })),
  );
  return { files: withoutOuterFolder(files), ignored };
}

async function unpack(zip: File, ignored: string[]): Promise<Found> {
  const unpacked = await unpackFile(zip);
  return { files: withoutOuterFolder(unpacked.files), ignored: [...ignored, ...unpacked.ignored] };
}

/** A browser does not reveal modes; a script states in its first line that it is run. */
async function modeOf(file: File): Promise<WorkFile["mode"]> {
  return (await file.slice(0, 2).text()) === "#!" ? "100755" : "100644";
}

/** The content of the folder that all files are in: a skill's SKILL.md is at the root of its package. */
function withoutOuterFolder(files: WorkFile[]): WorkFile[] {
  const outer = files[0]?.path.split("/")[0];
  if (outer === undefined || !files.every(({ path }) => path.startsWith(`${outer}/`))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(outer.length + 1) }));
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
