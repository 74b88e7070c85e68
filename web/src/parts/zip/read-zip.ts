/**
 * Reads the files of a zip that the user chose, by the rules of the service, which checks them again. It is written by
 * hand because fflate, which writes zips here, reads neither modes nor checksums, and zip.js, which does, has 40 kB
 * compressed.
 */
import { packageLimits } from "../../../../contract/checks/package-rules.ts";
import { checkFiles, tooLargeError } from "../../../../contract/package/check-files.ts";
import { ignoreLimits } from "../../../../contract/package/ignore-patterns.ts";
import { selectFiles } from "../../../../contract/package/leave-out.ts";
import type { LeftOut } from "../../../../contract/package/left-out.ts";
import { packageMode, programStart } from "../../../../contract/package/modes.ts";
import {
  checkZipEntry,
  maxZipEntries,
  readZipEntry,
  tooManyEntries,
  zipMethods,
  type ZipEntryFacts,
  type ZipEntryFields,
} from "../../../../contract/package/zip-entry.ts";
import { crc32 } from "./crc32.ts";
import type { DroppedFile } from "./format.ts";

interface Entry extends ZipEntryFacts {
  fields: ZipEntryFields;
  crc: number;
  offset: number;
}

/** Signatures and sizes of the records (APPNOTE.TXT 4.3). */
const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
const sizes = { local: 30, central: 46, end: 22, end64: 56, locator64: 20 } as const;
/** The comment at the end of a zip has at most this many bytes. */
const maxComment = 65_535;
/** Files of several skills may be dropped at once. The service checks the number of each one. */
export const severalSkills = { bounds: { ...packageLimits, files: maxZipEntries }, mayBeEmpty: true };
/** Value of a field whose value is in an extra field or record of zip64. */
const inZip64 = 0xffffffff;
const zip64Field = 1;

const damaged = (why: string) => new Error(`The zip is damaged (${why}): create it again.`);

/** The files of the package in a zip. Throws sentences for people. */
export async function readZip(zip: Blob): Promise<{ files: DroppedFile[]; leftOut: LeftOut[] }> {
  const entries = (await readDirectory(zip)).filter(({ kind }) => kind !== "folder");
  const { files: selected, leftOut } = await selectFiles(entries, async (entry) =>
    entry.kind === "link" || entry.fields.size > ignoreLimits.bytes ? "" : (await inflate(zip, entry)).text(),
  );
  const listed = selected.map(({ path, entry }) => {
    if (entry.kind === "file") checkZipEntry(path, entry.fields);
    return { path, size: entry.fields.size, isLink: entry.kind === "link" };
  });
  checkFiles(listed, severalSkills);
  const files: DroppedFile[] = [];
  for (const { path, entry } of selected) {
    const data = await inflate(zip, entry);
    files.push({ ...(await withMode(path, data, entry.mode)), data });
  }
  return { files, leftOut };
}

/** The path with its mode, which is guessed from the content if the source has none. */
export async function withMode(
  path: string,
  data: Blob,
  given?: DroppedFile["mode"],
): Promise<Pick<DroppedFile, "path" | "mode" | "isGuessed">> {
  const start = async () => new Uint8Array(await data.slice(0, programStart).arrayBuffer());
  return { path, mode: await packageMode(path, given, { start }), isGuessed: given === undefined };
}

async function readDirectory(zip: Blob): Promise<Entry[]> {
  const { count, size, offset } = await findDirectory(zip);
  if (count > maxZipEntries) throw tooManyEntries();
  if (size > packageLimits.compressedBytes) throw tooLargeError(size);
  const view = await viewOf(zip.slice(offset, offset + size));
  const entries: Entry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + sizes.central > view.byteLength || view.getUint32(at, true) !== signatures.central)
      throw damaged("its directory is incomplete");
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const next = at + sizes.central + nameLength + extraLength + view.getUint16(at + 32, true);
    if (next > view.byteLength) throw damaged("its directory is incomplete");
    entries.push(readEntry(view, at, nameLength, extraLength));
    at = next;
  }
  return entries;
}

async function findDirectory(zip: Blob): Promise<{ count: number; size: number; offset: number }> {
  const start = Math.max(0, zip.size - sizes.end - maxComment);
  const tail = await viewOf(zip.slice(start));
  let end = tail.byteLength - sizes.end;
  while (end >= 0 && tail.getUint32(end, true) !== signatures.end) end--;
  if (end < 0) throw new Error("The file is not a zip. Choose a folder, files or a zip.");
  const found = {
    count: tail.getUint16(end + 10, true),
    size: tail.getUint32(end + 12, true),
    offset: tail.getUint32(end + 16, true),
  };
  if (found.count < 0xffff && found.size < inZip64 && found.offset < inZip64) return found;
  const locator = end - sizes.locator64;
  if (locator < 0 || tail.getUint32(locator, true) !== signatures.locator64) return found;
  const at = Number(tail.getBigUint64(locator + 8, true));
  const record = await viewOf(zip.slice(at, at + sizes.end64));
  if (record.byteLength < sizes.end64 || record.getUint32(0, true) !== signatures.end64)
    throw damaged("its directory is missing");
  return {
    count: Number(record.getBigUint64(32, true)),
    size: Number(record.getBigUint64(40, true)),
    offset: Number(record.getBigUint64(48, true)),
  };
}

function readEntry(view: DataView, at: number, nameLength: number, extraLength: number): Entry {
  const name = new Uint8Array(view.buffer, view.byteOffset + at + sizes.central, nameLength);
  const large = zip64Values(view, at + sizes.central + nameLength, extraLength);
  const value = (field: number) => {
    const short = view.getUint32(at + field, true);
    return short === inZip64 ? (large.shift() ?? short) : short;
  };
  // The order in which zip64 lists them.
  const [size, compressed, offset] = [value(24), value(20), value(42)];
  const fields = {
    name,
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    madeBy: view.getUint16(at + 4, true),
    externalAttributes: view.getUint32(at + 38, true),
    compressed,
    size,
  };
  return { ...readZipEntry(fields), fields, crc: view.getUint32(at + 16, true), offset };
}

/** The values in the extra field of zip64 (APPNOTE.TXT 4.5.3). */
function zip64Values(view: DataView, start: number, length: number): number[] {
  for (let at = start; at + 4 <= start + length;) {
    const size = view.getUint16(at + 2, true);
    if (at + 4 + size > start + length) return [];
    if (view.getUint16(at, true) === zip64Field)
      return Array.from({ length: Math.floor(size / 8) }, (_, i) =>
        Number(view.getBigUint64(at + 4 + 8 * i, true)),
      );
    at += 4 + size;
  }
  return [];
}

async function inflate(zip: Blob, { path, fields, crc, offset }: Entry): Promise<Blob> {
  checkZipEntry(path, fields);
  const header = await viewOf(zip.slice(offset, offset + sizes.local));
  if (header.byteLength < sizes.local || header.getUint32(0, true) !== signatures.local)
    throw damaged(`${path} is missing`);
  const start = offset + sizes.local + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = zip.slice(start, start + fields.compressed);
  const parts =
    fields.method === zipMethods.stored
      ? [new Uint8Array(await packed.arrayBuffer())]
      : await inflated(packed, path, fields.size);
  const data = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  if (data.length !== fields.size || crc32(data) !== crc) throw damaged(`${path} is incomplete`);
  return new Blob([data]);
}

/** Ends the work at an output that is larger than the directory states, as of a bomb. */
async function inflated(packed: Blob, path: string, size: number): Promise<Uint8Array[]> {
  const reader = packed.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array[] = [];
  try {
    for (let bytes = 0; ;) {
      const { done, value } = await reader.read();
      if (done) return parts;
      bytes += value.length;
      if (bytes > size) throw new Error("too large");
      parts.push(value);
    }
  } catch {
    await reader.cancel().catch(() => undefined);
    throw damaged(`${path} can't be unpacked`);
  }
}

async function viewOf(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer());
}
