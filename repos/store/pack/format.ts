/**
 * The bytes of packs and their indexes (gitformat-pack(5)): entry headers, index version 2 with 64-bit offsets,
 * deltas. No I/O; inconsistent bytes throw `object_corrupt`.
 */
import { createHash } from "node:crypto";
import { RepoError } from "../../errors.ts";
import { ownBytes } from "../../own-bytes.ts";
import type { ObjectType } from "../objects.ts";

/** Entry types; 6 and 7 are deltas against an offset in the same pack and against an id. */
export const packTypes = { commit: 1, tree: 2, blob: 3, tag: 4 } as const satisfies Record<
  ObjectType,
  number
>;
export const offsetDelta = 6;
export const refDelta = 7;

export const packHeaderBytes = 12;
export const packTrailerBytes = 20;
const indexHeaderBytes = 8 + 256 * 4;

export function packHeader(count: number): Buffer {
  const header = Buffer.alloc(packHeaderBytes);
  header.write("PACK", 0, "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(count, 8);
  return header;
}

/** Type in three bits, inflated size in 4 and then 7 bits a byte, least significant first. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  bytes.push((type << 4) | (size % 16) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(low | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.from(bytes);
}

export interface EntryHead {
  type: number;
  /** Inflated bytes (of the delta itself where the entry is one). */
  size: number;
  /** Offset of the deflated bytes from the start of the entry. */
  dataStart: number;
  /** For an offset delta: how far before this entry its base lies. */
  baseDistance?: number;
  /** For a ref delta. */
  baseOid?: string;
}

/** Most bytes a head can take: 10 of type and size, then a base id. */
export const maxEntryHeadBytes = 32;

export function parseEntryHead(entry: Buffer): EntryHead {
  let at = 0;
  const next = (): number => {
    const byte = entry[at++];
    if (byte === undefined || at > 24)
      throw new RepoError("object_corrupt", "a pack entry has no end of its head");
    return byte;
  };
  let byte = next();
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let scale = 16; byte & 0x80; scale *= 128) {
    byte = next();
    size += (byte & 0x7f) * scale;
  }
  if (type === offsetDelta) {
    byte = next();
    let distance = byte & 0x7f;
    while (byte & 0x80) {
      byte = next();
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    return { type, size, dataStart: at, baseDistance: distance };
  }
  if (type === refDelta) {
    if (entry.length < at + 20) throw new RepoError("object_corrupt", "a pack entry ends in its head");
    return { type, size, dataStart: at + 20, baseOid: entry.toString("hex", at, at + 20) };
  }
  if (type < 1 || type > 4) throw new RepoError("object_corrupt", `a pack entry has type ${type}`);
  return { type, size, dataStart: at };
}

export function typeName(code: number): ObjectType {
  return code === 1 ? "commit" : code === 2 ? "tree" : code === 3 ? "blob" : "tag";
}

/**
 * The content of a zlib stream that only has stored blocks (RFC 1951, 3.2.4), the form of images and archives in our
 * packs; undefined if it has others. The stream's checksum is not verified, since the caller compares the object's
 * hash.
 */
export function readStored(stream: Buffer, size: number): Buffer | undefined {
  // A stored block's first byte is 0, or 1 for the last: other kinds have bits 1 and 2 set, or padding that is not 0.
  if (size === 0 || stream.length < size + 11 || stream[2]! > 1) return undefined;
  const data = Buffer.allocUnsafe(size);
  let filled = 0;
  for (let at = 2; at + 5 <= stream.length;) {
    const final = stream[at]!;
    const length = stream.readUInt16LE(at + 1);
    if (final > 1 || filled + length > size || at + 5 + length > stream.length) return undefined;
    stream.copy(data, filled, at + 5, at + 5 + length);
    filled += length;
    at += 5 + length;
    if (final === 1) return filled === size ? data : undefined;
  }
  return undefined;
}

const misfit = () => new RepoError("object_corrupt", "a delta does not fit its base");

/**
 * Reads the two sizes at the head of a delta and applies it; every copy and insert is held to its bounds, and the
 * result to `maxBytes`.
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes = Number.MAX_SAFE_INTEGER): Buffer {
  let at = 0;
  const size = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = delta[at++];
      if (byte === undefined || scale > 2 ** 49) throw misfit();
      value += (byte & 0x7f) * scale;
      if (!(byte & 0x80)) return value;
    }
  };
  if (size() !== base.length) throw misfit();
  const resultBytes = size();
  if (resultBytes > maxBytes) throw misfit();
  const result = Buffer.allocUnsafe(resultBytes);
  let end = 0;
  while (at < delta.length) {
    const code = delta[at++]!;
    if (code & 0x80) {
      let offset = 0;
      let length = 0;
      for (let i = 0; i < 4; i++) if (code & (1 << i)) offset += (delta[at++] ?? NaN) * 256 ** i;
      for (let i = 0; i < 3; i++) if (code & (16 << i)) length += (delta[at++] ?? NaN) * 256 ** i;
      if (length === 0) length = 0x10000;
      if (!(offset + length <= base.length && end + length <= result.length)) throw misfit();
      base.copy(result, end, offset, offset + length);
      end += length;
    } else {
      if (code === 0 || at + code > delta.length || end + code > result.length) throw misfit();
      delta.copy(result, end, at, at + code);
      at += code;
      end += code;
    }
  }
  if (end !== result.length) throw misfit();
  return result;
}

export interface IndexEntry {
  oid: string;
  offset: number;
  /** CRC-32 of the entry as it lies in the pack. */
  crc: number;
}

/** Index version 2 of a pack with that SHA-1 trailer. */
export function buildIndex(entries: readonly IndexEntry[], packChecksum: Buffer): Buffer {
  const sorted = entries.toSorted((a, b) => (a.oid < b.oid ? -1 : 1));
  const count = sorted.length;
  const large = sorted.filter((entry) => entry.offset >= 2 ** 31);
  const index = Buffer.alloc(indexHeaderBytes + count * 28 + large.length * 8 + 40);
  index.writeUInt32BE(0xff744f63, 0);
  index.writeUInt32BE(2, 4);
  const names = indexHeaderBytes;
  const crcs = names + count * 20;
  const offsets = crcs + count * 4;
  const wide = offsets + count * 4;
  let wideCount = 0;
  let filled = 0;
  for (const [i, entry] of sorted.entries()) {
    index.write(entry.oid, names + i * 20, "hex");
    for (const first = index[names + i * 20]!; filled < first; filled++)
      index.writeUInt32BE(i, 8 + filled * 4);
    index.writeUInt32BE(entry.crc, crcs + i * 4);
    if (entry.offset < 2 ** 31) {
      index.writeUInt32BE(entry.offset, offsets + i * 4);
    } else {
      index.writeUInt32BE(2 ** 31 + wideCount, offsets + i * 4);
      index.writeBigUInt64BE(BigInt(entry.offset), wide + wideCount++ * 8);
    }
  }
  for (; filled < 256; filled++) index.writeUInt32BE(count, 8 + filled * 4);
  packChecksum.copy(index, index.length - 40);
  createHash("sha1")
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  return index;
}

const brokenIndex = (why: string) => new RepoError("object_corrupt", `a pack index ${why}`);

/** A checked index, searched in place: 28 bytes an object and nothing on top until a pack is read. */
export class PackIndex {
  readonly count: number;
  readonly bytes: number;
  readonly #data: Buffer;
  #offsets: Uint32Array | Float64Array | undefined;

  constructor(data: Buffer) {
    if (data.length < indexHeaderBytes + 40) throw brokenIndex("is too short");
    if (data.readUInt32BE(0) !== 0xff744f63 || data.readUInt32BE(4) !== 2)
      throw brokenIndex("is not of version 2");
    const checksum = createHash("sha1").update(data.subarray(0, -20)).digest();
    if (!checksum.equals(data.subarray(-20))) throw brokenIndex("does not have the checksum at its end");
    this.count = data.readUInt32BE(8 + 255 * 4);
    if (data.length < indexHeaderBytes + this.count * 28 + 40)
      throw brokenIndex("is shorter than its object count");
    for (let i = 1, last = data.readUInt32BE(8); i < 256; i++) {
      const here = data.readUInt32BE(8 + i * 4);
      if (here < last) throw brokenIndex("has a fan-out that shrinks");
      last = here;
    }
    this.#data = ownBytes(data);
    this.bytes = data.length;
  }

  /** Position of the object in the index, or -1. */
  find(oid: string): number {
    const wanted = Buffer.from(oid, "hex");
    const first = wanted[0]!;
    let low = first === 0 ? 0 : this.#data.readUInt32BE(8 + (first - 1) * 4);
    let high = this.#data.readUInt32BE(8 + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = indexHeaderBytes + middle * 20;
      const order = this.#data.compare(wanted, 0, 20, at, at + 20);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  oidAt(position: number): string {
    return this.#data.toString(
      "hex",
      indexHeaderBytes + position * 20,
      indexHeaderBytes + position * 20 + 20,
    );
  }

  crcAt(position: number): number {
    return this.#data.readUInt32BE(indexHeaderBytes + this.count * 20 + position * 4);
  }

  offsetAt(position: number): number {
    const short = this.#data.readUInt32BE(indexHeaderBytes + this.count * 24 + position * 4);
    if (short < 2 ** 31) return short;
    const at = indexHeaderBytes + this.count * 28 + (short - 2 ** 31) * 8;
    if (at + 8 > this.#data.length - 40)
      throw new RepoError("object_corrupt", "a pack index points beyond its end");
    return Number(this.#data.readBigUInt64BE(at));
  }

  /** End of the entry at this offset: the next one, or the pack's trailer. */
  entryEnd(offset: number, packBytes: number): number {
    this.#offsets ??= this.#sortedOffsets();
    let low = 0;
    let high = this.#offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#offsets[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#offsets[low] ?? packBytes - packTrailerBytes;
  }

  #sortedOffsets(): Uint32Array | Float64Array {
    // Swapped and sorted as a whole: a loop over the index of a large pack takes longer than reading from the pack.
    const short = Buffer.alloc(this.count * 4);
    this.#data.copy(short, 0, indexHeaderBytes + this.count * 24, indexHeaderBytes + this.count * 28);
    const offsets = new Uint32Array(short.swap32().buffer, 0, this.count).sort();
    if (this.count === 0 || offsets[this.count - 1]! < 2 ** 31) return offsets;
    return Float64Array.from(offsets, (_, i) => this.offsetAt(i)).sort();
  }

  *oids(): Generator<string> {
    for (let i = 0; i < this.count; i++) yield this.oidAt(i);
  }
}
