/** The bytes of one file of a zip, held to its size and checksum. */
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type * as yauzl from "yauzl";
import { PackageError, type FileMode } from "../../contract/checks/package-rules.ts";
import type { ZipBytes } from "./zip-bytes.ts";

const inflateRawAsync = promisify(zlib.inflateRaw);
const syncInflateBytes = 32 * 1024;
const streamPieceBytes = 256 * 1024;

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

export function openFile(
  zip: yauzl.ZipFile,
  bytes: ZipBytes,
  entry: yauzl.Entry,
  path: string,
): Pick<ZipFileEntry, "size" | "read" | "chunks"> {
  const { uncompressedSize: size, compressedSize, compressionMethod } = entry;
  const isDeflated = compressionMethod === 8;
  const start = async () => {
    try {
      return (await zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart;
    } catch (error) {
      throw malformed(error, path);
    }
  };

  async function read(): Promise<Buffer> {
    const stored = await bytes.slice(await start(), compressedSize);
    const data = isDeflated ? await inflateWhole(stored, size, path) : stored;
    check(entry, path, data.length, zlib.crc32(data));
    return data;
  }

  async function* storedPieces(): AsyncGenerator<Buffer> {
    const first = await start();
    for (let at = 0; at < compressedSize; at += streamPieceBytes)
      yield bytes.slice(first + at, Math.min(streamPieceBytes, compressedSize - at));
  }

  async function* chunks(): AsyncGenerator<Buffer> {
    let length = 0;
    let crc = 0;
    for await (const piece of isDeflated ? inflated(storedPieces(), path) : storedPieces()) {
      length += piece.length;
      if (length > size) throw wrongSize(path);
      crc = zlib.crc32(piece, crc);
      yield piece;
    }
    check(entry, path, length, crc);
  }

  return { size, read, chunks };
}

function check(entry: yauzl.Entry, path: string, length: number, crc: number): void {
  if (length !== entry.uncompressedSize) throw wrongSize(path);
  if (crc !== entry.crc32)
    throw new PackageError(
      "checksum_mismatch",
      `${JSON.stringify(path)} is damaged in the zip: create it again.`,
      path,
    );
}

const wrongSize = (path: string) =>
  new PackageError(
    "size_mismatch",
    `${JSON.stringify(path)} does not have the size that the zip declares: create the zip again.`,
    path,
  );

export function malformed(error: unknown, path?: string): PackageError {
  const why = error instanceof Error ? error.message.split("\n")[0]! : "unreadable";
  if (why.includes("encryption"))
    return new PackageError("encrypted", "The zip is encrypted: create it without a password.", path);
  return new PackageError("malformed_zip", `The zip is damaged (${why}): create it again.`, path, {
    cause: error,
  });
}

async function inflateWhole(stored: Buffer, size: number, path: string): Promise<Buffer> {
  const limits = { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, Math.min(size + 1, 1 << 20)) };
  try {
    if (size <= syncInflateBytes) return zlib.inflateRawSync(stored, limits);
    return await inflateRawAsync(stored, limits);
  } catch (error) {
    const tooLong =
      error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw tooLong ? wrongSize(path) : malformed(error, path);
  }
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
