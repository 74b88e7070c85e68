/**
 * Reads a package from a zip. yauzl parses the directory. What is never part of a package is left out, as everywhere
 * (`contract/package/leave-out.ts`), and a folder around all files is entered. Every rule of
 * `contract/checks/package-rules.ts` is applied to the rest before its bytes are inflated, and the bytes are held to
 * the sizes and checksums in the directory.
 */
import * as yauzl from "yauzl";
import {
  PackageError,
  compareUtf8,
  packageLimits,
  type FileMode,
  type PackageLimits,
} from "../../contract/checks/package-rules.ts";
import { checkFiles } from "../../contract/package/check-files.ts";
import { ignoreLimits } from "../../contract/package/ignore-patterns.ts";
import { selectFiles, type Selection } from "../../contract/package/leave-out.ts";
import { reasonByNameOf, type LeftOut } from "../../contract/package/left-out.ts";
import { hasMode, packageMode, programStart } from "../../contract/package/modes.ts";
import {
  checkZipEntry,
  maxZipEntries,
  readZipEntry,
  tooManyEntries,
  type ZipEntryFacts,
  type ZipEntryFields,
} from "../../contract/package/zip-entry.ts";
import { sizeText } from "../../contract/text/size-text.ts";
import { ZipBytes } from "./zip-bytes.ts";
import { malformed, openFile, type ZipFileEntry } from "./zip-file.ts";

const localHeaderBytes = 30;
export interface ZipRules {
  /** A file that must lie at the root, as `SKILL.md`. */
  rootFile?: string;
  /** Modes of the version before, for zips of systems that have none. */
  modes?: ReadonlyMap<string, FileMode>;
  /** The zip was made by the service from a version or a branch: all of it is the package, with the modes it states. */
  isExact?: boolean;
  /** The selection that an earlier reading of the zip made, so that the patterns of its ignore files run only once. */
  selection?: ZipSelection;
  /** Lower bounds than the product's, for tests. */
  limits?: Partial<PackageLimits>;
}

/** The files of the package among the entries of a zip that are not folders. */
export interface ZipSelection {
  /** `at`: number of the entry. */
  files: { path: string; at: number }[];
  /** The folder around all files, which was entered, or `""`. */
  folder: string;
}

export interface ZipPackage {
  /** In UTF-8 byte order of the paths. */
  files: ZipFileEntry[];
  /** Sum of the files' sizes. */
  totalBytes: number;
  compressedBytes: number;
  /** Empty if the selection was given. */
  leftOut: LeftOut[];
  selection: ZipSelection;
  /** Whether the zip states the modes of its files. */
  hasModes: boolean;
  close(): void;
}

/** Opens a zip and checks its whole directory. The caller closes it. */
export async function openZipPackage(path: string, rules: ZipRules = {}): Promise<ZipPackage> {
  const bounds = { ...packageLimits, ...rules.limits };
  const bytes = await ZipBytes.open(path);
  if (bytes.size > bounds.compressedBytes) {
    bytes.close(() => undefined);
    throw new PackageError(
      "too_large_compressed",
      `The zip has ${sizeText(bytes.size)}, over ${sizeText(bounds.compressedBytes)}: ` +
        "leave out what the skill does not need.",
    );
  }
  const zip = await openDirectory(bytes);
  try {
    const read = await readDirectory(zip, bytes, bounds, rules);
    const totalBytes = read.files.reduce((sum, file) => sum + file.size, 0);
    return { ...read, totalBytes, compressedBytes: bytes.size, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** A whole package in memory: for one that is known to be small. */
export async function readZip(
  path: string,
  rules: ZipRules = {},
): Promise<{ path: string; mode: FileMode; data: Buffer }[]> {
  const zip = await openZipPackage(path, rules);
  try {
    const files = [];
    for (const file of zip.files) files.push({ path: file.path, mode: file.mode, data: await file.read() });
    return files;
  } finally {
    zip.close();
  }
}

async function openDirectory(bytes: ZipBytes): Promise<yauzl.ZipFile> {
  try {
    const zip = await yauzl.fromRandomAccessReaderPromise(bytes, bytes.size, {
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: false,
    });
    // A failure to close has no reader; without a listener it would end the process.
    zip.on("error", () => undefined);
    return zip;
  } catch (error) {
    bytes.close(() => undefined);
    throw malformed(error);
  }
}

interface ListedEntry extends ZipEntryFacts {
  entry: yauzl.Entry;
  fields: ZipEntryFields;
}

async function readDirectory(
  zip: yauzl.ZipFile,
  bytes: ZipBytes,
  bounds: PackageLimits,
  { rootFile, modes, isExact = false, selection: given }: ZipRules,
): Promise<Pick<ZipPackage, "files" | "leftOut" | "selection" | "hasModes">> {
  const listed = await listEntries(zip);
  const [folders, others] = [
    listed.filter(({ kind }) => kind === "folder"),
    listed.filter(({ kind }) => kind !== "folder"),
  ];
  refuseOverlaps(others);
  const entries = others.map((entry, at) => ({ ...entry, at }));
  const readIgnoreFile = async ({ path, entry, fields, kind }: ListedEntry) => {
    if (kind === "link" || fields.size > ignoreLimits.bytes) return "";
    checkZipEntry(path, fields);
    return (await openFile(zip, bytes, entry, path).read()).toString("utf8");
  };
  const select = async (): Promise<Selection<(typeof entries)[number]>> => {
    if (given) return { ...given, files: given.files.map((file) => entryOf(file, entries)), leftOut: [] };
    if (!isExact) return selectFiles(entries, readIgnoreFile);
    return { files: entries.map((entry) => ({ path: entry.path, entry })), leftOut: [], folder: "" };
  };
  const { files: selected, leftOut, folder } = await select();
  for (const { path, entry } of selected) if (entry.kind === "file") checkZipEntry(path, entry.fields);
  const isKept = ({ path }: ListedEntry) =>
    folder === "" && path.split("/").every((name) => reasonByNameOf(name) === undefined);
  checkFiles(
    selected.map(({ path, entry }) => ({ path, size: entry.fields.size, isLink: entry.kind === "link" })),
    { rootFile, folders: folders.filter(isKept).map(({ path }) => path), bounds },
  );
  const files: ZipFileEntry[] = [];
  for (const { path, entry } of selected) {
    const file = openFile(zip, bytes, entry.entry, path);
    const mode = isExact
      ? (entry.mode ?? "100644")
      : await packageMode(path, entry.mode, { before: modes?.get(path), start: () => startOf(file) });
    files.push({ ...file, path, mode });
  }
  const hasModes = isExact || selected.every(({ path, entry }) => hasMode(path, entry.mode));
  const selection = { files: selected.map(({ path, entry }) => ({ path, at: entry.at })), folder };
  return { files: files.sort((a, b) => compareUtf8(a.path, b.path)), leftOut, selection, hasModes };
}

function entryOf<T>({ path, at }: ZipSelection["files"][number], entries: readonly T[]) {
  const entry = entries[at];
  if (entry === undefined) throw malformed(new Error("the zip has changed"), path);
  return { path, entry };
}

async function listEntries(zip: yauzl.ZipFile): Promise<ListedEntry[]> {
  const listed: ListedEntry[] = [];
  for await (const entry of entriesOf(zip)) {
    if (listed.length >= maxZipEntries) throw tooManyEntries();
    const { fileNameRaw: name, generalPurposeBitFlag: flags, extraFields } = entry;
    const fields = {
      name,
      flags,
      method: entry.compressionMethod,
      madeBy: entry.versionMadeBy,
      externalAttributes: entry.externalFileAttributes,
      compressed: entry.compressedSize,
      size: entry.uncompressedSize,
    };
    const hasUnicodeName = extraFields.some((field) => field.id === 0x7075);
    const unicodeName = hasUnicodeName
      ? yauzl.getFileNameLowLevel(flags, name, extraFields, true)
      : undefined;
    listed.push({ ...readZipEntry(fields, unicodeName), entry, fields });
  }
  return listed;
}

async function startOf(file: Pick<ZipFileEntry, "chunks">): Promise<Uint8Array> {
  for await (const piece of file.chunks()) return piece.subarray(0, programStart);
  return new Uint8Array();
}

/** Entries that share their bytes are how a small zip becomes a huge tree. */
function refuseOverlaps(listed: readonly ListedEntry[]): void {
  const spans = listed.map(({ path: name, entry }) => {
    const start = entry.relativeOffsetOfLocalHeader;
    return { start, end: start + localHeaderBytes + entry.fileNameLength + entry.compressedSize, name };
  });
  spans.sort((a, b) => a.start - b.start);
  for (const [i, { end }] of spans.entries()) {
    const next = spans[i + 1];
    if (next !== undefined && next.start < end) throw malformed(new Error("its entries overlap"), next.name);
  }
}

async function* entriesOf(zip: yauzl.ZipFile): AsyncGenerator<yauzl.Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    let next: IteratorResult<yauzl.Entry, unknown>;
    try {
      next = await entries.next();
    } catch (error) {
      throw malformed(error);
    }
    if (next.done === true) return;
    yield next.value;
  }
}
