/**
 * Copies of packs in a local folder, in the layout of bare repositories, so that native git can serve them. A copy is
 * written whole and compared with the pack's checksum first; any of them may be removed at any time, by any process.
 */
import { utimes } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import { noteCount } from "../../../contract/observation.ts";
import { RepoError } from "../../errors.ts";
import type { ObjectStore } from "../../object-store/types.ts";
import type { PackStore } from "../driver.ts";
import { copyPack } from "../pack/copy-pack.ts";
import { PackIndex } from "../pack/format.ts";
import { packPathsOf } from "../posix/layout.ts";
import type { StoredId, StoreOptions } from "../types.ts";
import { packKey, packsPrefix } from "./keys.ts";
import { assertPack, readFooter, type PackSizes } from "./pack-object.ts";

const MiB = 1024 * 1024;
/** Bytes of the first request for a pack: most are read whole by it. */
const tailBytes = 256 * 1024;
const tailsBytes = 32 * MiB;
/** Packs up to this size are copied before they are read; larger ones are read by ranges until their copy is there. */
const wholeBytes = 8 * MiB;
const fillConcurrency = 4;
/** Bytes of copies that are written without their caller waiting. */
const maxWritingBytes = 64 * MiB;
/** Interval at which the use of a copy is recorded. */
const touchMs = 3_600_000;

/** The end of a pack's object: its index, and for a small one everything. */
interface Tail extends PackSizes {
  index: Buffer;
  pack: Buffer | undefined;
}

export interface PackCacheOptions {
  root: string;
  local: PackStore;
  objects: ObjectStore;
  /** Limit of all copies. */
  maxBytes: number;
  log: NonNullable<StoreOptions["log"]>;
  /** Called with the size of each new copy. */
  onWritten: (bytes: number) => void;
  /** Called when the disk is full. */
  onFull: () => void;
}

export class PackCache {
  readonly #options: PackCacheOptions;
  readonly #paths: ReturnType<typeof packPathsOf>;
  readonly #fills = new SingleFlight<void>(fillConcurrency);
  readonly #tailReads = new SingleFlight<Tail>(Infinity);
  readonly #tails = new LRUCache<string, Tail>({
    maxSize: tailsBytes,
    sizeCalculation: ({ index, pack }) => index.length + (pack?.length ?? 0) + 200,
  });
  /** Copies that are being written. */
  readonly #writing = new Map<string, Promise<void>>();
  #writingBytes = 0;
  /** Prefixes of erased repositories, whose ids are not used again: reads that were under way keep nothing. */
  readonly #erased = new LRUCache<string, true>({ max: 10_000 });
  readonly #touched = new LRUCache<string, true>({ max: 50_000, ttl: touchMs });

  constructor(options: PackCacheOptions) {
    this.#options = options;
    this.#paths = packPathsOf(options.root);
  }

  async readIndex(repo: StoredId, pack: string): Promise<Buffer> {
    return (
      (await this.#fromCopy(repo, pack, (local) => local.readIndex(repo, pack))) ??
      (await this.#tail(repo, pack)).index
    );
  }

  async size(repo: StoredId, pack: string): Promise<number> {
    return (
      (await this.#fromCopy(repo, pack, (local) => local.size(repo, pack))) ??
      (await this.#tail(repo, pack)).packBytes
    );
  }

  async read(repo: StoredId, pack: string, offset: number, length: number): Promise<Buffer> {
    const readCopy = () => this.#fromCopy(repo, pack, (local) => local.read(repo, pack, offset, length));
    const copied = await readCopy();
    noteCount("cacheRequests", { cache: "packs", result: copied ? "hit" : "miss" });
    if (copied !== undefined) {
      noteCount("cacheReadBytes", { cache: "packs" }, copied.length);
      return copied;
    }
    const tail = await this.#tail(repo, pack);
    if (offset + length > tail.packBytes)
      throw new RepoError("object_corrupt", "a pack is shorter than its index requires");
    if (tail.pack !== undefined) return tail.pack.subarray(offset, offset + length);
    if (this.#mayCopy(tail)) {
      const filled = this.#fillQuietly(repo, pack);
      if (tail.packBytes <= wholeBytes && (await filled)) {
        const bytes = await readCopy();
        if (bytes !== undefined) return bytes;
      }
    }
    return this.#readRange(repo, pack, offset, length);
  }

  /** Has a copy of the pack in the folder when it resolves. */
  async fill(repo: StoredId, pack: string): Promise<void> {
    if ((await this.#fromCopy(repo, pack, (local) => local.size(repo, pack))) !== undefined) {
      // An index that was removed by another process leaves a pack that git does not see.
      if ((await this.#fromCopy(repo, pack, (local) => local.readIndex(repo, pack))) !== undefined) return;
    }
    await this.#fills.run(packKey(repo, pack), async () => {
      try {
        await this.#copy(repo, pack);
      } catch (error) {
        // Another process has just removed the empty folder.
        if (!(error instanceof RepoError) || error.code !== "repository_missing") throw error;
        await this.#copy(repo, pack);
      }
    });
  }

  /** Copies a pack from memory. Reads wait for the copy; the caller waits only if many are being written. */
  async keep(repo: StoredId, pack: string, bytes: readonly Buffer[], index: Buffer): Promise<void> {
    if (this.#erased.has(packsPrefix(repo))) return;
    const key = packKey(repo, pack);
    const size = bytes.reduce((sum, piece) => sum + piece.length, index.length);
    const write = async () => {
      try {
        await this.#options.local.put(repo, pack, bytes, index, "create");
        this.#tails.delete(key);
        this.#written(size);
      } catch (error) {
        this.#report(repo, pack, error);
      } finally {
        if (this.#writing.get(key) === writing) this.#writing.delete(key);
        this.#writingBytes -= size;
        await this.#dropErased(repo);
      }
    };
    this.#writingBytes += size;
    const writing = write();
    this.#writing.set(key, writing);
    if (this.#writingBytes > maxWritingBytes) await writing;
  }

  /** Removes the copy if it is damaged, so that it is read again from the object store. */
  async recheck(repo: StoredId, pack: string): Promise<void> {
    this.#tails.delete(packKey(repo, pack));
    const { local } = this.#options;
    await local.recheck(repo, pack);
    try {
      const [index, size] = [new PackIndex(await local.readIndex(repo, pack)), await local.size(repo, pack)];
      if (index.count >= 0) assertPack(await local.read(repo, pack, 0, size), pack);
    } catch (error) {
      if (
        !(error instanceof RepoError) ||
        (error.code !== "object_corrupt" && error.code !== "pack_vanished")
      )
        throw error;
      await local.remove(repo, { packs: [pack] });
      await local.recheck(repo, pack);
    }
  }

  /** Removes the copies of a repository whose objects were erased, those that are being written too. */
  async erase(repo: StoredId): Promise<void> {
    const prefix = packsPrefix(repo);
    this.#erased.set(prefix, true);
    const isOfRepo = (key: string) => key.startsWith(prefix);
    for (const key of [...this.#tails.keys()].filter(isOfRepo)) this.#tails.delete(key);
    const writing = [...this.#writing].filter(([key]) => isOfRepo(key));
    await Promise.all(writing.map(([, written]) => written));
    await this.#dropErased(repo);
  }

  /** Removes the folder of a repository that was erased while something was written into it. */
  async #dropErased(repo: StoredId): Promise<void> {
    const { local } = this.#options;
    if (this.#erased.has(packsPrefix(repo)) && (await local.exists(repo))) await local.erase(repo);
  }

  forget(repo: StoredId, pack: string): void {
    this.#tails.delete(packKey(repo, pack));
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** Undefined if there is no copy, or none that can be read. */
  async #fromCopy<T>(
    repo: StoredId,
    pack: string,
    read: (local: PackStore) => Promise<T>,
  ): Promise<T | undefined> {
    const writing = this.#writing.size === 0 ? undefined : this.#writing.get(packKey(repo, pack));
    if (writing !== undefined) await writing;
    try {
      const found = await read(this.#options.local);
      this.#touch(repo, pack);
      return found;
    } catch (error) {
      if (error instanceof RepoError && error.code === "pack_vanished") return undefined;
      if (!isDiskFailure(error)) throw error;
      this.#report(repo, pack, error);
      return undefined;
    }
  }

  /** Records the use of a copy, by which the least recently used ones are found. */
  #touch(repo: StoredId, pack: string): void {
    // A pack of this name in another repository has the same bytes, and is rare.
    if (this.#touched.has(pack)) return;
    this.#touched.set(pack, true);
    const path = this.#paths.pack(repo, pack);
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }

  async #tail(repo: StoredId, pack: string): Promise<Tail> {
    const key = packKey(repo, pack);
    const known = this.#tails.get(key);
    if (known !== undefined) return known;
    return this.#tailReads.run(key, async () => {
      const found = await this.#options.objects.getRange(key, { length: tailBytes });
      if (found === undefined) throw vanished(pack);
      const { bytes, size } = found;
      const sizes = readFooter(bytes, size);
      const indexStart = sizes.packBytes - (size - bytes.length);
      const index =
        indexStart >= 0
          ? bytes.subarray(indexStart, indexStart + sizes.indexBytes)
          : await this.#readRange(repo, pack, sizes.packBytes, sizes.indexBytes);
      const tail: Tail = { ...sizes, index, pack: undefined };
      if (bytes.length === size) {
        tail.pack = bytes.subarray(0, sizes.packBytes);
        assertPack(tail.pack, pack);
        if (this.#mayCopy(tail)) await this.keep(repo, pack, [tail.pack], index);
      }
      if (!this.#erased.has(packsPrefix(repo))) this.#tails.set(key, tail);
      return tail;
    });
  }

  #mayCopy({ packBytes, indexBytes }: PackSizes): boolean {
    return packBytes + indexBytes <= this.#options.maxBytes / 4;
  }

  /** False if there is no copy afterwards. */
  async #fillQuietly(repo: StoredId, pack: string): Promise<boolean> {
    try {
      await this.fill(repo, pack);
      return true;
    } catch (error) {
      this.#report(repo, pack, error);
      return false;
    }
  }

  async #copy(repo: StoredId, pack: string): Promise<void> {
    const { local } = this.#options;
    const tail = await this.#tail(repo, pack);
    const writing = this.#writing.get(packKey(repo, pack));
    if (writing !== undefined) return writing;
    const read = (start: number, length: number) => this.#readRange(repo, pack, start, length);
    try {
      await copyPack(local, repo, { pack, size: tail.packBytes, index: tail.index, read }, "create");
    } finally {
      await this.#dropErased(repo);
    }
    this.#tails.delete(packKey(repo, pack));
    this.#written(tail.packBytes + tail.indexBytes);
  }

  #written(bytes: number): void {
    noteCount("cacheWrittenBytes", { cache: "packs" }, bytes);
    this.#options.onWritten(bytes);
  }

  async #readRange(repo: StoredId, pack: string, start: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    const found = await this.#options.objects.getRange(packKey(repo, pack), { start, length });
    if (found === undefined) throw vanished(pack);
    if (found.bytes.length !== length)
      throw new RepoError("object_corrupt", `the object of pack ${pack} ends before its size`);
    return found.bytes;
  }

  /** A copy that can't be written or read costs time only: the object store has the bytes. */
  #report(repo: StoredId, pack: string, error: unknown): void {
    if (error instanceof RepoError && error.code === "storage_full") this.#options.onFull();
    this.#options.log({
      level: "warn",
      msg: "a pack could not be cached",
      ...repo,
      pack,
      error: String(error),
    });
  }
}

const isDiskFailure = (error: unknown) =>
  error instanceof RepoError && (error.code === "storage_unavailable" || error.code === "storage_full");

const vanished = (pack: string) => new RepoError("pack_vanished", `pack ${pack} is gone`);
