/**
 * Collects the entries of one pack: in memory while it is small, in a staged file once it is not. Nothing is visible
 * before `publish`; `discard` leaves no trace.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { PackStage, PackStore, PackTarget } from "../driver.ts";
import type { ObjectType } from "../objects.ts";
import type { StoredId } from "../types.ts";
import * as format from "./format.ts";

const deflateAsync = promisify(zlib.deflate);
/** Handing a smaller deflate to the thread pool costs more than doing it. */
const syncDeflateBytes = 32 * 1024;
const memoryPackBytes = 16 * 1024 * 1024;
const stagedWriteBytes = 1024 * 1024;
/** Blobs from this size on are probed: images and archives are stored as they are, forty times as fast. */
const probedBytes = 64 * 1024;
const probeBytes = 16 * 1024;

export interface PublishedPack {
  pack: string;
  index: Buffer;
  bytes: number;
}

/** Level 1 is within 4 % of level 6 in size on skills, in half the time. */
function deflateLevel(data: Buffer): number {
  if (data.length < probedBytes) return 1;
  const middle = Math.floor((data.length - probeBytes) / 2);
  const probe = data.subarray(middle, middle + probeBytes);
  return zlib.deflateSync(probe, { level: 1 }).length > probeBytes * 0.97 ? 0 : 1;
}

/** The deflated bytes of an object; large ones in the thread pool. */
export function deflateObject(data: Buffer): Buffer | Promise<Buffer> {
  // One output chunk of about the right size: copying chunks together is a fifth of the time.
  const options = {
    level: deflateLevel(data),
    chunkSize: Math.min(Math.max(256, data.length + 64), 1 << 20),
  };
  return data.length <= syncDeflateBytes ? zlib.deflateSync(data, options) : deflateAsync(data, options);
}

export class PackWriter {
  readonly #packs: PackStore;
  readonly #repo: StoredId;
  readonly #where: PackTarget;
  readonly #entries: format.IndexEntry[] = [];
  readonly #oids = new Set<string>();
  #pending: Buffer[] = [Buffer.alloc(format.packHeaderBytes)];
  #pendingBytes = format.packHeaderBytes;
  #offset = format.packHeaderBytes;
  #stage: PackStage | undefined;

  constructor(packs: PackStore, repo: StoredId, where: PackTarget) {
    this.#packs = packs;
    this.#repo = repo;
    this.#where = where;
  }

  get count(): number {
    return this.#entries.length;
  }

  has(oid: string): boolean {
    return this.#oids.has(oid);
  }

  /** Appends an object that is not in the pack yet. `size` is that of the inflated object. */
  async add(type: ObjectType, oid: string, size: number, deflated: Buffer): Promise<void> {
    const header = format.entryHeader(format.packTypes[type], size);
    await this.#append(oid, zlib.crc32(deflated, zlib.crc32(header)), [header, deflated]);
  }

  /** Appends an entry copied from another pack. */
  async addRaw(oid: string, crc: number, entry: Buffer): Promise<void> {
    await this.#append(oid, crc, [entry]);
  }

  /** Appends a blob that is too large for memory; its id and size are known from a first pass. */
  async addStream(oid: string, size: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    const offset = this.#offset;
    const header = format.entryHeader(format.packTypes.blob, size);
    let crc = zlib.crc32(header);
    await this.#write([header]);
    for await (const piece of deflatePieces(chunks)) {
      crc = zlib.crc32(piece, crc);
      await this.#write([piece]);
    }
    this.#record({ oid, offset, crc });
  }

  /** Makes the pack durable and visible. */
  async publish(): Promise<PublishedPack> {
    const header = format.packHeader(this.#entries.length);
    const bytes = this.#offset + format.packTrailerBytes;
    if (this.#stage !== undefined) {
      await this.#flush();
      const published = await this.#stage.publish(header, (checksum) =>
        format.buildIndex(this.#entries, checksum),
      );
      return { ...published, bytes };
    }
    this.#pending[0] = header;
    const hash = createHash("sha1");
    for (const piece of this.#pending) hash.update(piece);
    const checksum = hash.digest();
    const pack = checksum.toString("hex");
    const index = format.buildIndex(this.#entries, checksum);
    await this.#packs.put(this.#repo, pack, [...this.#pending, checksum], index, this.#where);
    return { pack, index, bytes };
  }

  async discard(): Promise<void> {
    this.#pending = [];
    await this.#stage?.discard();
  }

  async #append(oid: string, crc: number, pieces: readonly Buffer[]): Promise<void> {
    const offset = this.#offset;
    await this.#write(pieces);
    this.#record({ oid, offset, crc });
  }

  #record(entry: format.IndexEntry): void {
    this.#entries.push(entry);
    this.#oids.add(entry.oid);
  }

  async #write(pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      this.#pending.push(piece);
      this.#pendingBytes += piece.length;
      this.#offset += piece.length;
    }
    if (this.#stage === undefined) {
      if (this.#pendingBytes <= memoryPackBytes) return;
      this.#stage = await this.#packs.stage(this.#repo, this.#where);
    }
    if (this.#pendingBytes >= stagedWriteBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    const pieces = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (pieces.length > 0) await this.#stage?.append(pieces);
  }
}

async function* deflatePieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]();
  const first = await source.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const deflate = zlib.createDeflate({ level: deflateLevel(head), chunkSize: 256 * 1024 });
  let failure: unknown;
  const feed = (async () => {
    let next = first;
    while (next.done !== true && !deflate.destroyed) {
      if (!deflate.write(next.value)) await settled(deflate);
      next = await source.next();
    }
    deflate.end();
  })().catch((error: unknown) => {
    failure = error;
    deflate.destroy();
  });
  try {
    for await (const piece of deflate as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw failure ?? error;
  } finally {
    deflate.destroy();
    await feed;
    await source.return?.();
  }
  if (failure !== undefined) throw failure;
}

/** Waits until the stream takes more, or never will. */
function settled(stream: zlib.Deflate): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      stream.off("drain", settle).off("close", settle);
      resolve();
    };
    stream.on("drain", settle).on("close", settle);
  });
}
