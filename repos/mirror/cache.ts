/** The bare repository of one mirror on disk: its packs, its tip, and the edge of its shallow history. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RepoError } from "../errors.ts";
import type { StoreDriver } from "../store/driver.ts";
import { isMergeDue, mergePacks, removeReplaced } from "../store/maintenance.ts";
import type { ObjectReader } from "../store/object-reader.ts";
import { PackIndex } from "../store/pack/format.ts";
import * as files from "../store/posix/files.ts";
import { repoFolder } from "../store/posix/layout.ts";
import type { FetchedPack } from "../transport/fetch-pack.ts";
import { isDamage } from "./damage.ts";
import { storePack } from "./store-pack.ts";
import { TreeReader } from "./trees.ts";
import type { MirrorId, MirrorOptions } from "./types.ts";

/** The lock of a killed process is free again after this time. */
export const staleLockMs = 10_000;
const lockPauseMs = 100;
const graceMs = 10 * 60_000;

export interface CacheOptions extends StoreDriver {
  root: string;
  objects: ObjectReader;
  log: NonNullable<MirrorOptions["log"]>;
}

export class MirrorCache {
  readonly repo: MirrorId;
  readonly trees: TreeReader;
  readonly #options: CacheOptions;
  readonly #folder: string;

  constructor(repo: MirrorId, options: CacheOptions) {
    this.repo = repo;
    this.trees = new TreeReader(options.objects, repo);
    this.#options = options;
    this.#folder = repoFolder(options.root, repo);
  }

  /** Whether the commit and its tree are present. Packs are stored whole, so all its other objects are as well. */
  async has(commit: string): Promise<boolean> {
    if (!(await this.#options.packs.exists(this.repo))) return false;
    try {
      await this.trees.tree((await this.trees.commit(commit)).treeOid);
      return true;
    } catch (error) {
      if (error instanceof RepoError && error.code === "object_missing") return false;
      throw error;
    }
  }

  async tip(): Promise<string | undefined> {
    const { packs, refs } = this.#options;
    if (!(await packs.exists(this.repo))) return undefined;
    const { main } = await refs.read(this.repo);
    return main !== null && (await this.has(main)) ? main : undefined;
  }

  /** The tip; a damaged repository is dropped first. */
  async tipOrDrop(): Promise<string | undefined> {
    try {
      return await this.tip();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.log({ level: "warn", msg: "dropped a damaged mirror", because: error.message });
      await this.drop();
      return undefined;
    }
  }

  /** Waits for the lock: a live process releases it within moments, and that of a killed one becomes stale. */
  async moveTip(commit: string): Promise<void> {
    for (const deadline = performance.now() + 1.5 * staleLockMs; ; await sleep(lockPauseMs)) {
      const result = await this.#options.refs.advance(this.repo, async () => ({ main: commit, head: null }));
      if (result !== "contended") return;
      if (performance.now() > deadline)
        throw new RepoError("storage_unavailable", "another process is moving the mirror's tip");
    }
  }

  /** Commits whose parents are not in the repository. */
  async readShallow(): Promise<string[]> {
    const text = await files.orMissing(readFile(join(this.#folder, "shallow"), "latin1"), "");
    return text.split("\n").filter((line) => /^[0-9a-f]{40}$/.test(line));
  }

  async writeShallow(oids: readonly string[]): Promise<void> {
    const temporary = join(this.#folder, files.temporaryName("ref"));
    await files.writeDurably(temporary, [Buffer.from(oids.map((oid) => `${oid}\n`).join(""))], 0o644);
    await files.rename(temporary, join(this.#folder, "shallow"));
  }

  async store(pack: FetchedPack["pack"], where: "create" | "existing"): Promise<void> {
    const { packs, objects } = this.#options;
    const stored = await storePack(packs, this.repo, pack, where);
    if (stored !== undefined)
      objects.views.add(this.repo, stored.pack, new PackIndex(stored.index), stored.bytes);
  }

  readPack(pack: string, at: number, length: number): Promise<Uint8Array> {
    return this.#options.packs.read(this.repo, pack, at, length);
  }

  async drop(): Promise<void> {
    const { packs, objects } = this.#options;
    objects.forget(this.repo);
    await packs.erase(this.repo);
    objects.forget(this.repo);
  }

  /** Merges packs to keep their number low. Optional: a failure is logged. */
  async mergePacks(): Promise<void> {
    const { packs, objects } = this.#options;
    try {
      if (!isMergeDue(objects.views.counts(this.repo))) return;
      await mergePacks(packs, objects.views, this.repo);
      await removeReplaced(packs, objects.views, this.repo, graceMs, (msg, pack) =>
        this.log({ level: "error", msg, pack }),
      );
      await packs.sweep(this.repo);
    } catch (error) {
      this.log({ level: "warn", msg: "merging the packs of a mirror failed", error: String(error) });
    }
  }

  log({ level, msg, ...rest }: Parameters<CacheOptions["log"]>[0]): void {
    this.#options.log({ level, msg, ...this.repo, ...rest });
  }
}
