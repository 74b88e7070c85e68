/**
 * Reads a package from a zip. yauzl parses the directory; every rule of `contract/package-rules.ts` is applied before a
 * byte is inflated, and the bytes are held to the sizes and checksums in the directory. Nothing is skipped or repaired
 * silently, except for entries of folders, which Git does not store.
 */
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import * as yauzl from "yauzl";
import {
  PackageError,
  collectPaths,
  compareUtf8,
  packageLimits,
  type FileMode,
  type PackageLimits,
} from "../../contract/package-rules.ts";
import { sizeText } from "../../contract/size-text.ts";
import { ZipBytes } from "./zip-bytes.ts";

const inflateRawAsync = promisify(zlib.inflateRaw);
const syncInflateBytes = 32 * 1024;
const localHeaderBytes = 30;
const streamPieceBytes = 256 * 1024;
/** Folder entries allowed per file; more indicate an attack on the reader. */
const foldersPerFile = 10;

export interface ZipRules {
  /** A file that must lie at the root, as `SKILL.md`. */
  rootFile?: string;
  /** Lower bounds than the product's, for tests. */
  limits?: Partial<PackageLimits>;
}

export interface ZipFileEntry {
  path: string;
  mode: FileMode;
  /** Bytes, as declared; reading fails if it isn't so. */
  size: number;
  /** The file's bytes, checked against size and CRC-32. */
  read(): Promise<Buffer>;
  /** The same in pieces; the last piece is followed by an error where the checks fail. */
  chunks(): AsyncIterable<Buffer>;
}

export interface ZipPackage {
  /** In UTF-8 byte order of the paths. */
  files: ZipFileEntry[];
  /** Sum of the files' sizes. */
  totalBytes: number;
  compressedBytes: number;
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
    const files = await readDirectory(zip, bytes, bounds, rules.rootFile);
    const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
    return { files, totalBytes, compressedBytes: bytes.size, close: () => zip.close() };
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

function malformed(error: unknown, path?: string): PackageError {
  const why = error instanceof Error ? error.message.split("\n")[0]! : "unreadable";
  if (why.includes("encryption"))
    return new PackageError("encrypted", "The zip is encrypted: make it without a password.", path);
  return new PackageError("malformed_zip", `The zip is damaged (${why}): create it again.`, path, {
    cause: error,
  });
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

async function readDirectory(
  zip: yauzl.ZipFile,
  bytes: ZipBytes,
  bounds: PackageLimits,
  rootFile: string | undefined,
): Promise<ZipFileEntry[]> {
  const paths = collectPaths(bounds);
  const files: ZipFileEntry[] = [];
  let declared = 0;
  const spans: { start: number; end: number; name: string }[] = [];
  let folders = 0;

  for await (const entry of entriesOf(zip)) {
    const { name, folder } = entryName(entry);
    checkEntry(entry, name, folder);
    if (folder) {
      paths.addFolder(name);
      if (++folders > bounds.files * foldersPerFile)
        throw new PackageError(
          "too_many_files",
          "The zip has too many folder entries: zip the folder afresh.",
        );
      continue;
    }
    paths.addFile(name);
    declared += entry.uncompressedSize;
    if (declared > bounds.uncompressedBytes)
      throw new PackageError(
        "too_large",
        `The files have more than ${sizeText(bounds.uncompressedBytes)} in total: ` +
          "leave out what the skill does not need.",
        name,
      );
    const start = entry.relativeOffsetOfLocalHeader;
    spans.push({ start, end: start + localHeaderBytes + entry.fileNameLength + entry.compressedSize, name });
    files.push(fileEntry(zip, bytes, entry, name));
  }
  refuseOverlaps(spans);
  paths.finish(rootFile);
  return files.sort((a, b) => compareUtf8(a.path, b.path));
}

/** Entries that share their bytes are how a small zip becomes a huge tree. */
function refuseOverlaps(spans: { start: number; end: number; name: string }[]): void {
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

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The name as the zip means it. Without the UTF-8 flag a name is CP 437 by the standard and UTF-8 by the habit of
 * several systems; bytes that are valid UTF-8 are taken for it.
 */
function entryName(entry: yauzl.Entry): { name: string; folder: boolean } {
  const raw = entry.fileNameRaw;
  let name: string;
  if (entry.extraFields.some((field) => field.id === 0x7075)) {
    name = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true);
  } else {
    try {
      name = strictUtf8.decode(raw);
    } catch (error) {
      if (entry.generalPurposeBitFlag & 0x800)
        throw new PackageError(
          "path_encoding",
          "A name in the zip is not valid UTF-8: rename the file.",
          undefined,
          {
            cause: error,
          },
        );
      name = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, raw, [], true);
    }
  }
  if (name.includes("\ufffd"))
    throw new PackageError("path_encoding", "A name in the zip is not valid UTF-8: rename the file.", name);
  return name.endsWith("/") && name !== "/"
    ? { name: name.slice(0, -1), folder: true }
    : { name, folder: false };
}

/** Metadata of one file in the central directory, besides its name and size. */
function checkEntry(entry: yauzl.Entry, name: string, folder: boolean): void {
  const refuse = (rule: PackageError["rule"], why: string): never => {
    throw new PackageError(rule, `${JSON.stringify(name)} ${why}`, name);
  };
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (kind === 0o120000) refuse("symlink", "is a symbolic link: put the file itself in the package.");
  if (kind === 0o160000) refuse("submodule", "is a submodule: put its files in the package.");
  if (kind !== 0 && kind !== (folder ? 0o040000 : 0o100000))
    refuse("special_file", "has another file type than its name: leave it out.");
  if (folder && entry.uncompressedSize > 0)
    refuse("special_file", "is a folder with content: zip the folder again.");
  if (entry.isEncrypted()) refuse("encrypted", "is encrypted: make the zip without a password.");
  if (!entry.canDecodeFileData())
    refuse("unsupported_method", `uses compression method ${entry.compressionMethod}: use deflate or none.`);
  if (entry.compressionMethod === 0 && entry.compressedSize !== entry.uncompressedSize)
    refuse("size_mismatch", "does not have the size that the zip declares: create the zip again.");
}

function fileEntry(zip: yauzl.ZipFile, bytes: ZipBytes, entry: yauzl.Entry, path: string): ZipFileEntry {
  const size = entry.uncompressedSize;
  const start = async () => {
    try {
      return (await zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart;
    } catch (error) {
      throw malformed(error, path);
    }
  };
  const wrongSize = () =>
    new PackageError(
      "size_mismatch",
      `${JSON.stringify(path)} does not have the size that the zip declares: create the zip again.`,
      path,
    );
  const check = (length: number, crc: number) => {
    if (length !== size) throw wrongSize();
    if (crc !== entry.crc32)
      throw new PackageError(
        "checksum_mismatch",
        `${JSON.stringify(path)} is damaged in the zip: create it again.`,
        path,
      );
  };

  async function read(): Promise<Buffer> {
    const stored = await bytes.slice(await start(), entry.compressedSize);
    let data = stored;
    if (entry.compressionMethod === 8) {
      const limits = {
        maxOutputLength: Math.max(1, size),
        chunkSize: Math.max(64, Math.min(size + 1, 1 << 20)),
      };
      try {
        data =
          size <= syncInflateBytes
            ? zlib.inflateRawSync(stored, limits)
            : await inflateRawAsync(stored, limits);
      } catch (error) {
        const tooLong =
          error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
        throw tooLong ? wrongSize() : malformed(error, path);
      }
    }
    check(data.length, zlib.crc32(data));
    return data;
  }

  async function* storedPieces(): AsyncGenerator<Buffer> {
    const first = await start();
    for (let at = 0; at < entry.compressedSize; at += streamPieceBytes)
      yield bytes.slice(first + at, Math.min(streamPieceBytes, entry.compressedSize - at));
  }

  async function* chunks(): AsyncGenerator<Buffer> {
    let length = 0;
    let crc = 0;
    const pieces = entry.compressionMethod === 8 ? inflated(storedPieces(), path) : storedPieces();
    for await (const piece of pieces) {
      length += piece.length;
      if (length > size) throw wrongSize();
      crc = zlib.crc32(piece, crc);
      yield piece;
    }
    check(length, crc);
  }

  return {
    path,
    mode: (entry.externalFileAttributes >>> 16) & 0o111 ? "100755" : "100644",
    size,
    read,
    chunks,
  };
}

async function* inflated(source: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const inflate = zlib.createInflateRaw({ chunkSize: streamPieceBytes });
  const feed = (async () => {
    for await (const piece of source) if (!inflate.write(piece)) await drained(inflate);
    inflate.end();
  })().catch((error: unknown) => inflate.destroy(error instanceof Error ? error : new Error("unreadable")));
  try {
    for await (const piece of inflate) yield piece as Buffer;
  } catch (error) {
    throw error instanceof PackageError ? error : malformed(error, path);
  } finally {
    inflate.destroy();
    await feed;
  }
}

/** Waits until the stream takes more, or never will. */
function drained(stream: zlib.InflateRaw): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      stream.off("drain", settle).off("close", settle);
      resolve();
    };
    stream.on("drain", settle).on("close", settle);
  });
}
