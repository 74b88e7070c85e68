/** Writes a package as a zip whose bytes depend on its files only, like those of the service. */
import { compareUtf8 } from "../../../../contract/package-rules.ts";
import { zipFlags, zipMethods } from "../../../../contract/package/zip-entry.ts";
import { crc32 } from "./crc32.ts";
import { signatures, sizes, transform, type ZipFile } from "./format.ts";
import { openSha256 } from "./sha256.ts";

interface Member {
  name: Uint8Array<ArrayBuffer>;
  mode: number;
  method: number;
  crc: number;
  compressed: number;
  size: number;
  offset: number;
}

/** 1980-01-01, the first date of the format. */
const date = 0x21;
/** Unix, so that the mode is read, in version 2.0 of the format. */
const madeBy = (3 << 8) | 20;
const neededVersion = 20;

/** `onProgress` gets the bytes of the files that are in the zip. */
export async function writeZip(
  files: readonly ZipFile[],
  onProgress: (bytes: number) => void,
): Promise<{ zip: Blob; sha256: string }> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const digest = openSha256();
  const members: Member[] = [];
  let offset = 0;
  let done = 0;
  const put = (part: Uint8Array) => {
    digest.update(part);
    parts.push(part as Uint8Array<ArrayBuffer>);
    offset += part.length;
  };
  for (const file of files.toSorted((a, b) => compareUtf8(a.path, b.path))) {
    const data = await bytesOf(file);
    const deflated = await transform(data, new CompressionStream("deflate-raw"));
    const compressed = deflated.reduce((sum, part) => sum + part.length, 0);
    const isSmaller = compressed < data.length;
    const member: Member = {
      name: new TextEncoder().encode(file.path),
      mode: Number.parseInt(file.mode, 8),
      method: isSmaller ? zipMethods.deflated : zipMethods.stored,
      crc: crc32(data),
      compressed: isSmaller ? compressed : data.length,
      size: data.length,
      offset,
    };
    members.push(member);
    put(localHeader(member));
    put(member.name);
    for (const part of isSmaller ? deflated : [data]) put(part);
    done += data.length;
    onProgress(done);
  }
  const directory = offset;
  for (const member of members) {
    put(centralHeader(member));
    put(member.name);
  }
  put(endRecord(members.length, directory, offset - directory));
  return { zip: new Blob(parts, { type: "application/zip" }), sha256: digest.hex() };
}

async function bytesOf({ path, data }: ZipFile): Promise<Uint8Array> {
  try {
    return new Uint8Array(await data.arrayBuffer());
  } catch (error) {
    throw new Error(`${path} can't be read. It was moved or changed on your computer: add it again.`, {
      cause: error,
    });
  }
}

/** A record of the format: values of two or four bytes, one after the other. */
function record(size: number, fields: [bytes: 2 | 4, value: number][]): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

const sharedFields = ({ name, method, crc, compressed, size }: Member): [2 | 4, number][] => [
  [2, neededVersion],
  [2, zipFlags.utf8],
  [2, method],
  [2, 0],
  [2, date],
  [4, crc],
  [4, compressed],
  [4, size],
  [2, name.length],
  [2, 0],
];

const localHeader = (member: Member) => record(sizes.local, [[4, signatures.local], ...sharedFields(member)]);

const centralHeader = (member: Member) =>
  record(sizes.central, [
    [4, signatures.central],
    [2, madeBy],
    ...sharedFields(member),
    [2, 0],
    [2, 0],
    [2, 0],
    [4, member.mode * 0x10000],
    [4, member.offset],
  ]);

const endRecord = (count: number, offset: number, size: number) =>
  record(sizes.end, [
    [4, signatures.end],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, size],
    [4, offset],
    [2, 0],
  ]);
