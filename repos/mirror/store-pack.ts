/**
 * Stores the objects of a received pack in our form, complete and without deltas, so that the same reader and merges
 * apply to them. Each object is inflated and hashed; no claim of the host is trusted.
 */
import { createHash } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { RepoError } from "../errors.ts";
import type { PackStore } from "../store/driver.ts";
import { hashObject, type ObjectType } from "../store/objects.ts";
import * as format from "../store/pack/format.ts";
import { PackWriter, deflateObject, type PublishedPack } from "../store/pack/writer.ts";
import type { MirrorId } from "../store/types.ts";

/**
 * Maximum size of an object. Files of skills are far smaller, but a fetch brings the whole tip of the branch, including
 * everything outside `skills/`.
 */
const objectBytes = 512 * 1024 * 1024;
/** Limit of all inflated objects relative to the pack's size, against decompression bombs. */
const maxInflation = 20;
const inflatedAlways = 1024 * 1024 * 1024;
const breathEveryMs = 15;
/** Larger entries are inflated asynchronously. */
const inflateBatchBytes = 1024 * 1024;
/** Bytes kept for the second pass; the rest is inflated again. */
const keptBytes = 96 * 1024 * 1024;

interface Entry {
  offset: number;
  type: number;
  size: number;
  dataStart: number;
  end: number;
  /** Inflated in the first pass and kept, as long as there is room. */
  data?: Buffer;
}

const broken = (why: string) => new RepoError("remote_protocol", `the host sent a pack that ${why}`);

/** Undefined for an empty pack. */
export async function storePack(
  packs: PackStore,
  repo: MirrorId,
  pack: Buffer,
  where: "create" | "existing",
): Promise<PublishedPack | undefined> {
  const count = checkedCount(pack);
  if (count === 0) return undefined;
  const writer = new PackWriter(packs, repo, where);
  try {
    await new Unpacking(pack, writer).run(count);
    return await writer.publish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function checkedCount(pack: Buffer): number {
  if (pack.length < format.packHeaderBytes + format.packTrailerBytes) throw broken("was cut off");
  if (pack.toString("latin1", 0, 4) !== "PACK" || pack.readUInt32BE(4) !== 2)
    throw broken("is not a version 2 pack");
  const sum = createHash("sha1").update(pack.subarray(0, -format.packTrailerBytes)).digest();
  if (!sum.equals(pack.subarray(-format.packTrailerBytes)))
    throw broken("does not have the checksum at its end");
  return pack.readUInt32BE(8);
}

class Unpacking {
  readonly #pack: Buffer;
  readonly #end: number;
  readonly #writer: PackWriter;
  /** Deltas by the offset or the id of their base. */
  readonly #onOffset = new Map<number, Entry[]>();
  readonly #onId = new Map<string, Entry[]>();
  #waiting = 0;
  #inflated = 0;
  #kept = 0;
  #lastBreath = performance.now();

  constructor(pack: Buffer, writer: PackWriter) {
    this.#pack = pack;
    this.#end = pack.length - format.packTrailerBytes;
    this.#writer = writer;
  }

  async run(count: number): Promise<void> {
    const bases = await this.#readEntries(count);
    // Bases of deltas are inflated a second time: keeping all of them would take the memory of the whole tree.
    for (const { entry, oid } of bases) {
      if (!this.#onOffset.has(entry.offset) && !this.#onId.has(oid)) continue;
      const type = format.typeName(entry.type);
      await this.#resolveOn(type, [{ offset: entry.offset, oid, data: await this.#dataOf(entry) }]);
      delete entry.data;
    }
    if (this.#waiting > 0) throw broken("lacks the base of a delta");
  }

  /** Stores the complete objects, and records the deltas. */
  async #readEntries(count: number): Promise<{ entry: Entry; oid: string }[]> {
    const whole: { entry: Entry; oid: string }[] = [];
    let at = format.packHeaderBytes;
    for (let i = 0; i < count; i++) {
      const entry = this.#headAt(at);
      const { data, end } = await this.#inflate(entry);
      entry.end = end;
      this.#keep(entry, data);
      if (entry.type < format.offsetDelta) {
        const type = format.typeName(entry.type);
        const oid = hashObject(type, data);
        whole.push({ entry, oid });
        const bytes = this.#pack.subarray(at, end);
        if (!this.#writer.has(oid)) await this.#writer.addRaw(oid, zlib.crc32(bytes), bytes);
      }
      at = end;
      await this.#breathe();
    }
    if (at !== this.#end) throw broken("has more in it than its objects");
    return whole;
  }

  #headAt(offset: number): Entry {
    let head: format.EntryHead;
    try {
      head = format.parseEntryHead(this.#pack.subarray(offset, Math.min(offset + 64, this.#end)));
    } catch (error) {
      throw broken(error instanceof Error ? `does not read: ${error.message}` : "does not read");
    }
    const { type, size, dataStart } = head;
    if (size > objectBytes)
      throw new RepoError("remote_too_large", `the repository has an object of ${size} bytes`);
    const entry = { offset, type, size, dataStart: offset + dataStart, end: 0 };
    if (head.baseDistance !== undefined) this.#note(this.#onOffset, offset - head.baseDistance, entry);
    if (head.baseOid !== undefined) this.#note(this.#onId, head.baseOid, entry);
    return entry;
  }

  #note<K>(map: Map<K, Entry[]>, key: K, entry: Entry): void {
    const known = map.get(key);
    if (known === undefined) map.set(key, [entry]);
    else known.push(entry);
    this.#waiting++;
  }

  /** Depth first, so that only one chain of bases is in memory. */
  async #resolveOn(type: ObjectType, stack: { offset: number; oid: string; data: Buffer }[]): Promise<void> {
    for (let base = stack.pop(); base !== undefined; base = stack.pop()) {
      const deltas = [...(this.#onOffset.get(base.offset) ?? []), ...(this.#onId.get(base.oid) ?? [])];
      this.#onOffset.delete(base.offset);
      this.#onId.delete(base.oid);
      for (const entry of deltas) {
        this.#waiting--;
        const data = this.#applied(base.data, await this.#dataOf(entry));
        delete entry.data;
        const oid = hashObject(type, data);
        if (!this.#writer.has(oid)) await this.#writer.add(type, oid, data.length, await deflateObject(data));
        if (this.#onOffset.has(entry.offset) || this.#onId.has(oid))
          stack.push({ offset: entry.offset, oid, data });
        await this.#breathe();
      }
    }
  }

  #applied(base: Buffer, delta: Buffer): Buffer {
    try {
      const data = format.applyDelta(base, delta, objectBytes);
      this.#count(data.length);
      return data;
    } catch (error) {
      if (error instanceof RepoError && error.code === "object_corrupt")
        throw broken("has a delta that does not fit");
      throw error;
    }
  }

  #keep(entry: Entry, data: Buffer): void {
    if (this.#kept + data.length > keptBytes) return;
    this.#kept += data.length;
    entry.data = data;
  }

  async #dataOf(entry: Entry): Promise<Buffer> {
    return entry.data ?? (await this.#inflate(entry)).data;
  }

  /** The bytes of an entry, and its end, which only inflating shows. */
  async #inflate(entry: Entry): Promise<{ data: Buffer; end: number }> {
    this.#count(entry.size);
    // At most the claimed size; at least one byte, since the option refuses 0.
    const bounds = {
      info: true,
      maxOutputLength: Math.max(1, entry.size),
      chunkSize: Math.max(64, Math.min(entry.size + 1, 1 << 20)),
    };
    const input = this.#pack.subarray(entry.dataStart, entry.end === 0 ? this.#end : entry.end);
    let result: InflatedWithEnd;
    try {
      // For a small object, a change of threads takes longer than inflating it.
      const inflated: unknown =
        entry.size > inflateBatchBytes ? await inflateAsync(input, bounds) : zlib.inflateSync(input, bounds);
      // With `info`, the result is an object, which the types of these functions do not express.
      result = inflated as InflatedWithEnd;
    } catch {
      throw broken("has an entry that does not inflate");
    }
    if (result.buffer.length !== entry.size) throw broken("has an entry of another size than declared");
    return { data: result.buffer, end: entry.dataStart + result.engine.bytesWritten };
  }

  #count(bytes: number): void {
    this.#inflated += bytes;
    if (this.#inflated > Math.max(inflatedAlways, maxInflation * this.#pack.length))
      throw new RepoError("remote_too_large", "the host sent a pack that inflates beyond all measure");
  }

  /** Yields to other work of this process. */
  async #breathe(): Promise<void> {
    if (performance.now() - this.#lastBreath < breathEveryMs) return;
    await breathe();
    this.#lastBreath = performance.now();
  }
}

interface InflatedWithEnd {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

const inflateAsync = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflate);
