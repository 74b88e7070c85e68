/**
 * Reads objects by position: index in memory, one `pread` for an entry, deltas of any kind. It never answers wrong
 * bytes (every object is hashed against its id before anyone sees it) and rides out packs that maintenance replaces.
 */
import { Readable, pipeline } from "node:stream";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { LRUCache } from "lru-cache";
import { RepoError } from "../errors.ts";
import type { PackStore } from "./driver.ts";
import { hashObject, type GitObject, type ObjectType } from "./objects.ts";
import * as format from "./pack-format.ts";
import { PackViews, repoKey, type PackPlace } from "./pack-views.ts";
import type { RepoId, StoreOptions } from "./types.ts";

const inflateAsync = promisify(zlib.inflate);
/** Below this, handing work to the thread pool costs more than inflating. */
const syncInflateBytes = 32 * 1024;
const cachedObjectBytes = 256 * 1024;
const streamPieceBytes = 256 * 1024;
/** Entries of one pack that lie this close together are fetched in one read. */
const joinGapBytes = 16 * 1024;
const joinedReadBytes = 4 * 1024 * 1024;
const maxDeltaDepth = 4096;

/** How far a sequence inflates ahead of its reader. */
const aheadBytes = 4 * 1024 * 1024;
const aheadObjects = 8;
const headsAtOnce = 16;

/** An entry in memory, still deflated. */
interface Fetched {
  size: number;
  data(): Promise<Buffer>;
}

export interface ObjectHead {
  type: ObjectType;
  size: number;
}

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

  /** An object of the expected type; `object_missing` if the repository has none of that id. */
  async read(repo: RepoId, oid: string, type: ObjectType): Promise<Buffer> {
    const cached = this.#cached(repo, oid, type);
    if (cached !== undefined) return cached;
    const object = await this.#readAny(repo, oid, 0);
    if (object.type !== type)
      throw new RepoError("object_corrupt", `${oid} is a ${object.type}, not a ${type}`);
    this.remember(repo, oid, object);
    return object.data;
  }

  /**
   * Objects of one type in the order asked for. Neighbours in a pack are fetched in one read, the next read is under
   * way while the last is used up, and no more than a few MB are inflated ahead.
   */
  async *sequence(repo: RepoId, oids: readonly string[], type: ObjectType): AsyncGenerator<Buffer> {
    const groups = this.#group(repo, oids, type);
    const ahead: { data: Promise<Buffer>; size: number }[] = [];
    let inflated = 0;
    let next = groups.next();
    for (let group = await next; group.done !== true; group = await next) {
      next = groups.next();
      // Met when its turn comes.
      next.catch(() => undefined);
      for (const item of await group.value()) {
        const data = item.data();
        data.catch(() => undefined);
        ahead.push({ data, size: item.size });
        inflated += item.size;
        while (ahead.length > aheadObjects || inflated > aheadBytes) {
          const first = ahead.shift();
          if (first === undefined) break;
          inflated -= first.size;
          yield await first.data;
        }
      }
    }
    for (const { data } of ahead) yield await data;
  }

  /** Type and size of several objects, heads of neighbours fetched together. */
  async heads(repo: RepoId, oids: readonly string[]): Promise<Map<string, ObjectHead>> {
    const found = new Map<string, ObjectHead>();
    const pending = [...new Set(oids)];
    for (let first = 0; first < pending.length; first += headsAtOnce)
      await Promise.all(
        pending.slice(first, first + headsAtOnce).map(async (oid) => {
          const cached = this.#objects.get(oid);
          found.set(
            oid,
            cached === undefined
              ? await this.head(repo, oid)
              : { type: cached.type, size: cached.data.length },
          );
        }),
      );
    return found;
  }

  /** Type and size without inflating more than a delta chain's heads. */
  async head(repo: RepoId, oid: string): Promise<ObjectHead> {
    return this.#heal(repo, oid, (place) => this.#headAt(repo, place, 0));
  }

  /** A large blob piece by piece. A blob stored as a delta is put together in memory first. */
  async stream(repo: RepoId, oid: string): Promise<{ size: number; stream: Readable }> {
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
  remember(repo: RepoId, oid: string, object: GitObject): void {
    if (object.data.length <= cachedObjectBytes) this.#objects.set(cacheKey(repo, oid, object.type), object);
  }

  /** Forgets a repository that was erased. */
  forget(repo: RepoId): void {
    this.views.forget(repo);
    const prefix = `${repoKey(repo)}:`;
    for (const key of this.#objects.keys()) if (key.startsWith(prefix)) this.#objects.delete(key);
  }

  #cached(repo: RepoId, oid: string, type: ObjectType): Buffer | undefined {
    const object = this.#objects.get(cacheKey(repo, oid, type));
    return object?.type === type ? object.data : undefined;
  }

  /** Splits a sequence into stretches that one read can fetch; the read starts when a stretch is asked for. */
  async *#group(
    repo: RepoId,
    oids: readonly string[],
    type: ObjectType,
  ): AsyncGenerator<() => Promise<Fetched[]>> {
    let stretch: { oid: string; place: PackPlace }[] = [];
    const take = (): (() => Promise<Fetched[]>) => {
      const taken = stretch;
      stretch = [];
      const read = this.#fetch(repo, taken, type);
      return () => read;
    };
    for (const oid of oids) {
      const cached = this.#cached(repo, oid, type);
      if (cached !== undefined) {
        if (stretch.length > 0) yield take();
        const item = { size: 0, data: async () => cached };
        yield async () => [item];
        continue;
      }
      const [place] = await this.views.locate(repo, oid);
      if (place === undefined) throw this.views.missing(repo, oid);
      const start = stretch[0]?.place;
      const last = stretch.at(-1)?.place;
      const joins =
        start !== undefined &&
        last !== undefined &&
        place.pack === last.pack &&
        place.offset >= last.end &&
        place.offset - last.end <= joinGapBytes &&
        place.end - start.offset <= joinedReadBytes;
      if (!joins && stretch.length > 0) yield take();
      stretch.push({ oid, place });
    }
    if (stretch.length > 0) yield take();
  }

  /** Reads a stretch; what does not come out of it right (a replaced pack, a delta, damage) is read by itself. */
  async #fetch(
    repo: RepoId,
    stretch: readonly { oid: string; place: PackPlace }[],
    type: ObjectType,
  ): Promise<Fetched[]> {
    const { pack, offset } = stretch[0]!.place;
    const end = stretch.at(-1)!.place.end;
    const bytes = await this.#packs.read(repo, pack, offset, end - offset).catch(() => undefined);
    return stretch.map(({ oid, place }) => {
      const entry = bytes?.subarray(place.offset - offset, place.end - offset);
      return {
        size: entry === undefined ? 0 : inflatedSize(entry),
        data: async () => {
          const whole = await inflateWhole(entry, oid).catch(() => undefined);
          if (whole?.type !== type) return this.read(repo, oid, type);
          this.remember(repo, oid, whole);
          return whole.data;
        },
      };
    });
  }

  /**
   * Tries every copy of an object. One in a vanished pack sends us back to the folder, where its successor is; a
   * damaged one is passed over, for a merge may have left a sound copy.
   */
  async #heal<T>(repo: RepoId, oid: string, action: (place: PackPlace) => Promise<T>): Promise<T> {
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
          }
        }
      }
      if (!vanished && attempt > 0) throw damage;
      await this.views.refresh(repo);
    }
    throw damage ?? new RepoError("pack_vanished", `the pack of ${oid} kept being replaced`);
  }

  async #readAny(repo: RepoId, oid: string, depth: number): Promise<GitObject> {
    return this.#heal(repo, oid, async (place) => {
      const object = await this.#readAt(repo, place, depth);
      if (hashObject(object.type, object.data) !== oid) throw damaged(oid);
      return object;
    });
  }

  async #readAt(repo: RepoId, place: PackPlace, depth: number): Promise<GitObject> {
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

  async #headAt(repo: RepoId, place: PackPlace, depth: number): Promise<ObjectHead> {
    if (depth > maxDeltaDepth) throw new RepoError("object_corrupt", "a chain of deltas has no end");
    // The size of a delta's result stands in its first inflated bytes; deltas are rare and small, so read them whole.
    const probe = Math.min(format.maxEntryHeadBytes, place.end - place.offset);
    const head = format.parseEntryHead(await this.#packs.read(repo, place.pack, place.offset, probe));
    if (head.baseOid === undefined && head.baseDistance === undefined)
      return { type: format.typeName(head.type), size: head.size };
    const { type, data } = await this.#readAt(repo, place, depth);
    return { type, size: data.length };
  }

  async #baseOf(repo: RepoId, place: PackPlace, distance: number): Promise<PackPlace> {
    const offset = place.offset - distance;
    if (distance <= 0 || offset < format.packHeaderBytes)
      throw new RepoError("object_corrupt", "a delta points outside its pack");
    const bytes = await this.#packs.size(repo, place.pack);
    return { ...place, offset, end: place.index.entryEnd(offset, bytes) };
  }
}

/** An entry that is no delta, checked against its id; undefined if it is one. */
async function inflateWhole(entry: Buffer | undefined, oid: string): Promise<GitObject | undefined> {
  if (entry === undefined) return undefined;
  const head = format.parseEntryHead(entry);
  if (head.baseOid !== undefined || head.baseDistance !== undefined) return undefined;
  const object = { type: format.typeName(head.type), data: await inflateEntry(entry, head) };
  if (hashObject(object.type, object.data) !== oid) throw damaged(oid);
  return object;
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

function inflatedSize(entry: Buffer): number {
  try {
    return format.parseEntryHead(entry).size;
  } catch {
    return 0;
  }
}

function cacheKey(repo: RepoId, oid: string, type: ObjectType): string {
  return type === "commit" ? `${repoKey(repo)}:${oid}` : oid;
}

async function inflateEntry(entry: Buffer, head: format.EntryHead): Promise<Buffer> {
  const deflated = entry.subarray(head.dataStart);
  // One chunk of the right size saves copies; a stream that inflates to more is cut off and refused.
  const bounds = {
    maxOutputLength: Math.max(1, head.size),
    chunkSize: Math.max(64, Math.min(head.size + 1, 1 << 20)),
  };
  let data: Buffer;
  try {
    data =
      head.size <= syncInflateBytes
        ? zlib.inflateSync(deflated, bounds)
        : await inflateAsync(deflated, bounds);
  } catch (error) {
    throw new RepoError("object_corrupt", "a pack entry does not inflate", { cause: error });
  }
  if (data.length !== head.size)
    throw new RepoError("object_corrupt", "a pack entry is not as long as it says");
  return data;
}

function* pieces(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += streamPieceBytes) yield data.subarray(at, at + streamPieceBytes);
}
