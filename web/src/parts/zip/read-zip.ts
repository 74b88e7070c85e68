/** Reads the files of a zip that the user chose. The service checks them again, and by more rules. */
import { packageLimits, type FileMode } from "../../../../contract/package-rules.ts";
import { sizeText } from "../../../../contract/size-text.ts";
import { crc32 } from "./crc32.ts";
import { flags, methods, signatures, sizes, transform, type ZipFile } from "./format.ts";

interface Entry {
  path: string;
  mode: FileMode;
  method: number;
  isEncrypted: boolean;
  crc: number;
  compressed: number;
  size: number;
  offset: number;
}

/** The comment at the end of a zip has at most this many bytes. */
const maxComment = 65_535;
/** More entries than a package's files: those of ignored folders are in a zip as well. */
const maxEntries = 20_000;

const damaged = (why: string) => new Error(`The zip is damaged: ${why}. Create it again.`);

/** `isWanted` is asked for each path before its bytes are read. Folders are left out. Throws sentences for people. */
export async function readZip(zip: Blob, isWanted: (path: string) => boolean): Promise<ZipFile[]> {
  const entries = (await readDirectory(zip)).filter(({ path }) => !path.endsWith("/") && isWanted(path));
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > packageLimits.uncompressedBytes)
    throw new Error(
      `The zip has ${sizeText(total)} of files, over the ${sizeText(packageLimits.uncompressedBytes)} of a package.`,
    );
  const files: ZipFile[] = [];
  for (const entry of entries)
    files.push({ path: entry.path, mode: entry.mode, data: await inflate(zip, entry) });
  return files;
}

async function readDirectory(zip: Blob): Promise<Entry[]> {
  const tail = await viewOf(zip.slice(Math.max(0, zip.size - sizes.end - maxComment)));
  let end = tail.byteLength - sizes.end;
  while (end >= 0 && tail.getUint32(end, true) !== signatures.end) end--;
  if (end < 0) throw new Error("The file is not a zip. Choose a folder, files or a zip.");
  const count = tail.getUint16(end + 10, true);
  const size = tail.getUint32(end + 12, true);
  const offset = tail.getUint32(end + 16, true);
  if (count > maxEntries || offset === 0xffffffff)
    throw new Error("The zip is too large for a package. Leave out what the skill does not need.");
  const view = await viewOf(zip.slice(offset, offset + size));
  const entries: Entry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + sizes.central > view.byteLength || view.getUint32(at, true) !== signatures.central)
      throw damaged("its directory is incomplete");
    const nameLength = view.getUint16(at + 28, true);
    entries.push(readEntry(view, at, nameLength));
    at += sizes.central + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function readEntry(view: DataView, at: number, nameLength: number): Entry {
  const name = new Uint8Array(view.buffer, view.byteOffset + at + sizes.central, nameLength);
  const mode = view.getUint32(at + 38, true) >>> 16;
  const isUnix = view.getUint16(at + 4, true) >> 8 === 3;
  return {
    // Zips of Windows hold backslashes.
    path: new TextDecoder().decode(name).replaceAll("\\", "/"),
    mode: isUnix && (mode & 0o111) !== 0 ? "100755" : "100644",
    method: view.getUint16(at + 10, true),
    isEncrypted: (view.getUint16(at + 8, true) & flags.encrypted) !== 0,
    crc: view.getUint32(at + 16, true),
    compressed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
  };
}

async function inflate(zip: Blob, entry: Entry): Promise<Blob> {
  if (entry.isEncrypted) throw new Error(`${entry.path} is encrypted. Create the zip without a password.`);
  const header = await viewOf(zip.slice(entry.offset, entry.offset + sizes.local));
  if (header.byteLength < sizes.local || header.getUint32(0, true) !== signatures.local)
    throw damaged(`${entry.path} is missing`);
  const start = entry.offset + sizes.local + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = zip.slice(start, start + entry.compressed);
  const parts =
    entry.method === methods.stored
      ? [new Uint8Array(await packed.arrayBuffer())]
      : await inflated(packed, entry);
  const data = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  if (data.length !== entry.size || crc32(data) !== entry.crc) throw damaged(`${entry.path} is incomplete`);
  return new Blob([data]);
}

async function inflated(packed: Blob, { path, method, size }: Entry): Promise<Uint8Array[]> {
  if (method !== methods.deflated)
    throw new Error(`${path} is compressed by an unknown method. Create the zip with another program.`);
  try {
    return await transform(packed, new DecompressionStream("deflate-raw"), size);
  } catch {
    throw damaged(`${path} can't be unpacked`);
  }
}

async function viewOf(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer());
}
