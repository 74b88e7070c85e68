/**
 * Reads objects by position: index in memory, one `pread` for an entry, deltas of any kind. It never answers wrong
 * bytes (every object is held against its id, or its entry against the index, before anyone sees it) and rides out
 * packs that maintenance replaces.
 */
import { createHash } from "node:crypto";
import { Readable, pipeline } from "node:stream";
import * as zlib from "node:zlib";
import { LRUCache } from "lru-cache";
import { noteCount } from "../../contract/observation.ts";
import { RepoError } from "../errors.ts";
import { ownBytes } from "../own-bytes.ts";
import type { PackStore } from "./driver.ts";
import { hashObject, type GitObject, type ObjectType } from "./objects.ts";
import { inflateEntry, wholeHead, type EntryStart, type ObjectHead } from "./pack/entry.ts";
import * as format from "./pack/format.ts";
import { PackViews, repoKey, type PackLocation } from "./pack/views.ts";
import type { StoredId, StoreOptions } from "./types.ts";

const cachedObjectBytes = 256 * 1024;
const streamPieceBytes = 256 * 1024;
/** Entries of one pack that lie this close together are fetched in one read. */
const joinGapBytes = 16 * 1024;
const joinedReadBytes = 4 * 1024 * 1024;
const maxDeltaDepth = 4096;

/** Number of bytes that a sequence inflates ahead of its reader. */
const aheadBytes = 4 * 1024 * 1024;
const aheadObjects = 8;
const readConcurrency = 16;

/** An object on its way into a sequence: from the cache, or as an entry in memory, still deflated. */
interface Fetched {
  oid: string;
  cached: Buffer | undefined;
  entry: Buffer | undefined;
  /** Undefined for a delta, and for what is damaged or can't be made out. */
  head: EntryStart | undefined;
}

interface Placed {
  oid: string;
  place: PackLocation;
}

/** Neighbours in a pack, or an object that is in memory. */
type Stretch = Placed[] | Buffer;

export class ObjectReader {
  readonly views: PackViews;
  readonly #packs: PackStore;
  readonly #objects: LRUCache<string, GitObject>;

  constructor(packs: PackStore, cacheBytes: number, log: NonNullable<StoreOptions["log"]>) {
    this.#packs = packs;
    this.views = new PackViews(packs, log);
    this.#objects = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: (object) => object.data.length + 200,
    });
  }

  /** An object of the expected type; `object_missing` if it does not exist. */
  async read(repo: StoredId, oid: string, type: ObjectType): Promise<Buffer> {
    const cached = this.#cached(repo, oid, type);
    if (cached !== undefined) return cached;
    const object = await this.#readAny(repo, oid, 0);
    if (object.type !== type)
      throw new RepoError("object_corrupt", `${oid} is a ${object.type}, not a ${type}`);
    this.remember(repo, oid, object);
    return object.data;
  }

  /**
   * Objects of one type in the order asked for. Neighbours in a pack are fetched in one read, the next reads are under
   * way while the last is used up, and no more than a few MB are read or inflated ahead.
   */
  async *sequence(repo: StoredId, oids: readonly string[], type: ObjectType): AsyncGenerator<Buffer> {
    const stretches = await this.#stretches(repo, oids, type);
    const reads: Promise<Fetched[]>[] = [];
    let [started, underWay] = [0, 0];
    const ahead: { data: Buffer | Promise<Buffer>; size: number }[] = [];
    let inflated = 0;
    for (const stretch of stretches) {
      while (started < stretches.length && mayReadOn(reads.length, underWay)) {
        const next = stretches[started++]!;
        const read = this.#fetch(repo, next);
        // Met when its turn comes.
        read.catch(() => undefined);
        reads.push(read);
        underWay += bytesOf(next);
      }
      const fetched = (await reads.shift()) ?? [];
      underWay -= bytesOf(stretch);
      for (const one of fetched) {
        const data = this.#take(repo, one, type);
        if (data instanceof Promise) data.catch(() => undefined);
        const size = one.head?.size ?? 0;
        ahead.push({ data, size });
        inflated += size;
        while (ahead.length > aheadObjects || inflated > aheadBytes) {
          const first = ahead.shift();
          if (first === undefined) break;
          inflated -= first.size;
          yield first.data;
        }
      }
    }
    for (const { data } of ahead) yield data;
  }

  /** Each id once, in the order in which a sequence of them takes the fewest reads. */
  async inPackOrder(repo: StoredId, oids: Iterable<string>): Promise<string[]> {
    return (await this.#placed(repo, new Set(oids))).map(({ oid }) => oid);
  }

  /** Type and size of several objects, heads of neighbours fetched together. */
  async heads(repo: StoredId, oids: readonly string[]): Promise<Map<string, ObjectHead>> {
    const found = new Map<string, ObjectHead>();
    const wanted: string[] = [];
    for (const oid of new Set(oids)) {
      const cached = this.#objects.get(oid);
      if (cached !== undefined) found.set(oid, { type: cached.type, size: cached.data.length });
      else wanted.push(oid);
    }
    const placed = await this.#placed(repo, wanted);
    const stretches: (typeof placed)[] = [];
    for (const item of placed) {
      const stretch = stretches.at(-1);
      const [start, last] = [stretch?.[0]?.place, stretch?.at(-1)?.place];
      const joins =
        last?.pack === item.place.pack &&
        item.place.offset - last.offset <= joinGapBytes &&
        item.place.offset - (start?.offset ?? 0) <= joinedReadBytes;
      if (joins) stretch?.push(item);
      else stretches.push([item]);
    }
    for (let first = 0; first < stretches.length; first += readConcurrency)
      await Promise.all(
        stretches
          .slice(first, first + readConcurrency)
          .map((stretch) => this.#readHeads(repo, stretch, found)),
      );
    return found;
  }

  /** Type and size without inflating more than a delta chain's heads. */
  async head(repo: StoredId, oid: string): Promise<ObjectHead> {
    return this.#heal(repo, oid, (place) => this.#headAt(repo, place, 0));
  }

  /** A large blob piece by piece. A blob stored as a delta is put together in memory first. */
  async stream(repo: StoredId, oid: string): Promise<{ size: number; stream: Readable }> {
    const { place, entry } = await this.#heal(repo, oid, async (found) => {
      const length = Math.min(format.maxEntryHeadBytes, found.end - found.offset);
      return {
        place: found,
        entry: format.parseEntryHead(await this.#packs.read(repo, found.pack, found.offset, length)),
      };
    });
    if (entry.type !== format.packTypes.blob) {
      const data = await this.read(repo, oid, "blob");
      return { size: data.length, stream: Readable.from(pieces(data), { objectMode: false }) };
    }

    const packs = this.#packs;
    async function* deflated() {
      for (let at = place.offset + entry.dataStart; at < place.end; at += streamPieceBytes)
        yield packs.read(repo, place.pack, at, Math.min(streamPieceBytes, place.end - at));
    }
    return {
      size: entry.size,
      stream: Readable.from(inflateChecked(deflated(), entry.size, oid), { objectMode: false }),
    };
  }

  /** Keeps an object that was just read or written. Commits are kept per repository: they are where access begins. */
  remember(repo: StoredId, oid: string, object: GitObject): void {
    if (object.data.length > cachedObjectBytes) return;
    this.#objects.set(cacheKey(repo, oid, object.type), { ...object, data: ownBytes(object.data) });
  }

  /** Forgets a repository that was erased. */
  forget(repo: StoredId): void {
    this.views.forget(repo);
    const prefix = `${repoKey(repo)}:`;
    for (const key of this.#objects.keys()) if (key.startsWith(prefix)) this.#objects.delete(key);
  }

  #cached(repo: StoredId, oid: string, type: ObjectType): Buffer | undefined {
    const { data } = this.#objects.get(cacheKey(repo, oid, type)) ?? {};
    noteCount("cacheRequests", { cache: "objects", result: data ? "hit" : "miss" });
    if (data) noteCount("cacheReadBytes", { cache: "objects" }, data.length);
    return data;
  }

  async #place(repo: StoredId, oid: string): Promise<PackLocation> {
    const place = this.views.peek(repo, oid) ?? (await this.views.locate(repo, oid))[0];
    if (place === undefined) throw this.views.missing(repo, oid);
    return place;
  }

  /** Places of objects, in the order of packs and offsets. */
  async #placed(repo: StoredId, oids: Iterable<string>): Promise<Placed[]> {
    const placed: Placed[] = [];
    for (const oid of oids) placed.push({ oid, place: await this.#place(repo, oid) });
    return placed.sort((a, b) =>
      a.place.pack < b.place.pack ? -1 : a.place.pack > b.place.pack ? 1 : a.place.offset - b.place.offset,
    );
  }

  /** Splits a sequence into stretches that one read can fetch. */
  async #stretches(repo: StoredId, oids: readonly string[], type: ObjectType): Promise<Stretch[]> {
    const stretches: Stretch[] = [];
    for (const oid of oids) {
      const cached = this.#cached(repo, oid, type);
      if (cached !== undefined) {
        stretches.push(cached);
        continue;
      }
      const place = await this.#place(repo, oid);
      const stretch = stretches.at(-1);
      if (Array.isArray(stretch) && isNext(stretch, place)) stretch.push({ oid, place });
      else stretches.push([{ oid, place }]);
    }
    return stretches;
  }

  async #readHeads(
    repo: StoredId,
    stretch: readonly Placed[],
    found: Map<string, ObjectHead>,
  ): Promise<void> {
    const { pack, offset } = stretch[0]!.place;
    const last = stretch.at(-1)!.place;
    const length = Math.min(last.end, last.offset + format.maxEntryHeadBytes) - offset;
    const bytes = await this.#packs.read(repo, pack, offset, length).catch(() => undefined);
    for (const { oid, place } of stretch) {
      const head = bytes === undefined ? undefined : wholeHead(bytes.subarray(place.offset - offset));
      found.set(oid, head ?? (await this.head(repo, oid)));
    }
  }

  /**
   * Reads a stretch. Entries that need more than their bytes (a replaced pack, a delta, damage) are read separately.
   */
  async #fetch(repo: StoredId, stretch: Stretch): Promise<Fetched[]> {
    if (!Array.isArray(stretch)) return [{ oid: "", cached: stretch, entry: undefined, head: undefined }];
    const { pack, offset } = stretch[0]!.place;
    const end = stretch.at(-1)!.place.end;
    const bytes = await this.#packs.read(repo, pack, offset, end - offset).catch(() => undefined);
    return stretch.map(({ oid, place }) => {
      const entry = bytes?.subarray(place.offset - offset, place.end - offset);
      // The index vouches for the entry's bytes: a third of the cost of the object's own hash.
      const sound = entry !== undefined && zlib.crc32(entry) === place.index.crcAt(place.position);
      return { oid, cached: undefined, entry, head: sound ? wholeHead(entry) : undefined };
    });
  }

  /** The object, at once where it is small: a promise for each would cost as much as inflating. Not cached: one pass
   * over a package would push out what is read again and again. */
  #take(repo: StoredId, { oid, cached, entry, head }: Fetched, type: ObjectType): Buffer | Promise<Buffer> {
    if (cached !== undefined) return cached;
    // A single read tries every copy, follows deltas, and reports what it finds.
    if (entry === undefined || head?.type !== type) return this.read(repo, oid, type);
    try {
      const data = inflateEntry(entry, head);
      return data instanceof Promise ? data.catch(() => this.read(repo, oid, type)) : data;
    } catch {
      return this.read(repo, oid, type);
    }
  }

  /**
   * Tries every copy of an object. One in a vanished pack sends us back to the folder, where its successor is; a
   * damaged one is passed over, for a merge may have left a sound copy.
   */
  async #heal<T>(repo: StoredId, oid: string, action: (place: PackLocation) => Promise<T>): Promise<T> {
    let damage: unknown;
    for (let attempt = 0; attempt < 4; attempt++) {
      let vanished = false;
      const places = await this.views.locate(repo, oid);
      if (places.length === 0) throw damage ?? this.views.missing(repo, oid);
      for (const place of places) {
        try {
          return await action(place);
        } catch (error) {
          if (!(error instanceof RepoError)) throw error;
          if (error.code === "pack_vanished") vanished = true;
          else if (error.code !== "object_corrupt") throw error;
          else {
            damage = error;
            this.views.blame(repo, place.pack, error);
            if (attempt === 0) await this.#packs.recheck(repo, place.pack);
          }
        }
      }
      if (!vanished && attempt > 0) throw damage;
      await this.views.refresh(repo);
    }
    throw damage ?? new RepoError("pack_vanished", `the pack of ${oid} kept being replaced`);
  }

  async #readAny(repo: StoredId, oid: string, depth: number): Promise<GitObject> {
    return this.#heal(repo, oid, async (place) => {
      const object = await this.#readAt(repo, place, depth);
      if (hashObject(object.type, object.data) !== oid) throw damaged(oid);
      return object;
    });
  }

  async #readAt(repo: StoredId, place: PackLocation, depth: number): Promise<GitObject> {
    if (depth > maxDeltaDepth) throw new RepoError("object_corrupt", "a chain of deltas has no end");
    const bytes = await this.#packs.read(repo, place.pack, place.offset, place.end - place.offset);
    const head = format.parseEntryHead(bytes);
    const data = await inflateEntry(bytes, head);
    if (head.baseOid !== undefined) {
      const base = await this.#readAny(repo, head.baseOid, depth + 1);
      return { type: base.type, data: format.applyDelta(base.data, data) };
    }
    if (head.baseDistance !== undefined) {
      const base = await this.#readAt(repo, await this.#baseOf(repo, place, head.baseDistance), depth + 1);
      return { type: base.type, data: format.applyDelta(base.data, data) };
    }
    return { type: format.typeName(head.type), data };
  }

  async #headAt(repo: StoredId, place: PackLocation, depth: number): Promise<ObjectHead> {
    if (depth > maxDeltaDepth) throw new RepoError("object_corrupt", "a chain of deltas has no end");
    // The size of a delta's result stands in its first inflated bytes; deltas are rare and small, so read them whole.
    const probe = Math.min(format.maxEntryHeadBytes, place.end - place.offset);
    const head = format.parseEntryHead(await this.#packs.read(repo, place.pack, place.offset, probe));
    if (head.baseOid === undefined && head.baseDistance === undefined)
      return { type: format.typeName(head.type), size: head.size };
    const { type, data } = await this.#readAt(repo, place, depth);
    return { type, size: data.length };
  }

  async #baseOf(repo: StoredId, place: PackLocation, distance: number): Promise<PackLocation> {
    const offset = place.offset - distance;
    if (distance <= 0 || offset < format.packHeaderBytes)
      throw new RepoError("object_corrupt", "a delta points outside its pack");
    const bytes = await this.#packs.size(repo, place.pack);
    return { ...place, offset, end: place.index.entryEnd(offset, bytes) };
  }
}

/** One read is always under way while another is used up. */
const mayReadOn = (reads: number, bytes: number) =>
  reads < 2 || (reads < readConcurrency && bytes < joinedReadBytes);

function bytesOf(stretch: Stretch): number {
  return Array.isArray(stretch) ? stretch.at(-1)!.place.end - stretch[0]!.place.offset : 0;
}

function isNext(stretch: readonly Placed[], place: PackLocation): boolean {
  const [start, last] = [stretch[0]!.place, stretch.at(-1)!.place];
  return (
    place.pack === last.pack &&
    place.offset >= last.end &&
    place.offset - last.end <= joinGapBytes &&
    place.end - start.offset <= joinedReadBytes
  );
}

const damaged = (oid: string) => new RepoError("object_corrupt", `the bytes of ${oid} are damaged`);

/** Inflates a stream of pieces, counting and hashing; ends with an error if the object is not what it should be. */
async function* inflateChecked(
  source: AsyncIterable<Buffer>,
  size: number,
  oid: string,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha1").update(`blob ${size}\0`);
  let length = 0;
  try {
    // `compose` and a bare pipe would lose the source's error or leave it open when the reader stops early.
    const inflate = zlib.createInflate({ chunkSize: streamPieceBytes });
    pipeline(Readable.from(source), inflate, () => undefined);
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > size) throw damaged(oid);
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    throw error instanceof RepoError
      ? error
      : new RepoError("object_corrupt", `${oid} does not inflate`, { cause: error });
  }
  if (length !== size || hash.digest("hex") !== oid) throw damaged(oid);
}

function cacheKey(repo: StoredId, oid: string, type: ObjectType): string {
  return type === "commit" ? `${repoKey(repo)}:${oid}` : oid;
}

function* pieces(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += streamPieceBytes) yield data.subarray(at, at + streamPieceBytes);
}
