/** The files in a zip or a compressed tar, within limits. Never throws for what an archive contains. */
import { decodeUtf8 } from "../text/text-encoding.ts";

/**
 * Decompresses, in the environment that calls the scanner. Returns undefined if the data is broken or the result has
 * more bytes than allowed.
 */
export type Inflate = (data: Uint8Array, form: "raw" | "gzip", maxBytes: number) => Uint8Array | undefined;

export interface ArchivedFile {
  path: string;
  data: Uint8Array;
  isExecutable: boolean;
}

export interface ArchiveContent {
  files: ArchivedFile[];
  isEncrypted: boolean;
  /** Some of it could not be read: it is broken, too large, or compressed by another method. */
  isIncomplete: boolean;
}

export interface ArchiveBudget {
  bytes: number;
  files: number;
}

const endLength = 22;
const maxComment = 65_535;

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength);
const nameOf = (bytes: Uint8Array) => decodeUtf8(bytes) ?? new TextDecoder("latin1").decode(bytes);

/** Offset of the record at the end of a zip, which may follow other data; undefined if there is none. */
export function zipEnd(data: Uint8Array): number | undefined {
  const view = viewOf(data);
  const first = Math.max(0, data.length - endLength - maxComment);
  for (let at = data.length - endLength; at >= first; at--)
    if (data[at] === 0x50 && view.getUint32(at, true) === 0x06054b50) return at;
  return undefined;
}

export function readZip(data: Uint8Array, budget: ArchiveBudget, inflate: Inflate): ArchiveContent {
  const content: ArchiveContent = { files: [], isEncrypted: false, isIncomplete: false };
  const end = zipEnd(data);
  if (end === undefined) return { ...content, isIncomplete: true };
  const view = viewOf(data);
  const count = view.getUint16(end + 10, true);
  const directoryBytes = view.getUint32(end + 12, true);
  /** Bytes before the archive, if it is appended to another file. */
  const shift = end - directoryBytes - view.getUint32(end + 16, true);
  const bodies: { start: number; end: number }[] = [];
  let at = end - directoryBytes;
  for (let index = 0; index < count; index++) {
    if (at < 0 || at + 46 > end || view.getUint32(at, true) !== 0x02014b50)
      return { ...content, isIncomplete: true };
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const nameLength = view.getUint16(at + 28, true);
    const mode = view.getUint32(at + 38, true) >>> 16;
    const local = view.getUint32(at + 42, true) + shift;
    const path = nameOf(data.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (local >= 0 && local + 30 <= data.length)
      bodies.push({ start: local, end: bodyOf(view, local) + packed });
    if (path.endsWith("/") && size === 0) continue;
    if ((flags & 1) !== 0) {
      content.isEncrypted = true;
      continue;
    }
    const unpacked = local < 0 ? undefined : unpack(data, { local, packed, size, method }, budget, inflate);
    if (unpacked === undefined) content.isIncomplete = true;
    else content.files.push({ path, data: unpacked, isExecutable: (mode & 0o111) !== 0 });
  }
  // Programs that go by the length of the directory, or by the heads of the files, would find more.
  if (at !== end || hasOthers(data.subarray(0, end - directoryBytes), bodies)) content.isIncomplete = true;
  return content;
}

/** Whether there are heads of files outside of those that the directory names. */
function hasOthers(data: Uint8Array, bodies: readonly { start: number; end: number }[]): boolean {
  let from = 0;
  for (const { start, end } of [
    ...bodies.toSorted((a, b) => a.start - b.start),
    { start: data.length, end: 0 },
  ]) {
    if (start > from && indexOfHead(data.subarray(from, start)) !== -1) return true;
    from = Math.max(from, end);
  }
  return false;
}

function indexOfHead(data: Uint8Array): number {
  for (let at = data.indexOf(0x50); at !== -1; at = data.indexOf(0x50, at + 1))
    if (data[at + 1] === 0x4b && data[at + 2] === 3 && data[at + 3] === 4) return at;
  return -1;
}

/** Begin of the content of a file, behind its head. */
const bodyOf = (view: DataView, local: number) =>
  local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);

function unpack(
  data: Uint8Array,
  { local, packed, size, method }: { local: number; packed: number; size: number; method: number },
  budget: ArchiveBudget,
  inflate: Inflate,
): Uint8Array | undefined {
  if (local + 30 > data.length || budget.files <= 0 || size > budget.bytes) return undefined;
  const view = viewOf(data);
  if (view.getUint32(local, true) !== 0x04034b50) return undefined;
  const from = bodyOf(view, local);
  const body = data.subarray(from, from + packed);
  const result = method === 0 ? body : method === 8 ? inflate(body, "raw", budget.bytes) : undefined;
  if (result === undefined) return undefined;
  budget.files--;
  budget.bytes -= result.length;
  return result;
}

/** A gzip: of a tar, or of a single file. */
export function readGzip(
  data: Uint8Array,
  path: string,
  budget: ArchiveBudget,
  inflate: Inflate,
): ArchiveContent {
  const content: ArchiveContent = { files: [], isEncrypted: false, isIncomplete: true };
  if (budget.files <= 0) return content;
  const unpacked = inflate(data, "gzip", budget.bytes);
  if (unpacked === undefined) return content;
  budget.bytes -= unpacked.length;
  budget.files--;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (isTar(unpacked)) return readTar(unpacked, budget);
  const inner = { path: name.replace(/\.gz$/i, ""), data: unpacked, isExecutable: false };
  return { files: [inner], isEncrypted: false, isIncomplete: false };
}

export const isTar = (data: Uint8Array) =>
  data.length >= 512 && new TextDecoder("latin1").decode(data.subarray(257, 262)) === "ustar";

/** Links, devices and folders, and heads that are about the next file or all. */
const noFiles = new Set(["1", "2", "3", "4", "5", "6", "x", "g", "L", "K", "V", "M", "D", "N"]);

/** Files of a tar, as parts of its bytes. Long names are cut. */
export function readTar(data: Uint8Array, budget: ArchiveBudget): ArchiveContent {
  const content: ArchiveContent = { files: [], isEncrypted: false, isIncomplete: false };
  const field = (at: number, length: number) => nameOf(data.subarray(at, at + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= data.length;) {
    const name = field(at, 100);
    if (name === "" && data[at] === 0) break;
    const size = Number.parseInt(field(at + 124, 12).trim() || "0", 8);
    const type = String.fromCharCode(data[at + 156] ?? 0);
    if (!Number.isSafeInteger(size) || size < 0 || at + 512 + size > data.length || budget.files <= 0)
      return { ...content, isIncomplete: true };
    // Programs unpack files of unknown types as ordinary ones.
    if (!noFiles.has(type)) {
      budget.files--;
      const mode = Number.parseInt(field(at + 100, 8).trim() || "0", 8);
      const prefix = field(at + 345, 155);
      content.files.push({
        path: prefix === "" ? name : `${prefix}/${name}`,
        data: data.subarray(at + 512, at + 512 + size),
        isExecutable: (mode & 0o111) !== 0,
      });
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return content;
}
