/**
 * The storage that the store requires: two interfaces and a directory for native git. `posix/` is the driver for a
 * local or shared file system, `remote/` the one for an object store. Each has to pass `test/store/driver-contract.ts`.
 */
import type {
  AdvanceResult,
  MirrorId,
  RefTargets,
  RepoId,
  StoredId,
  StoredRefs,
  SweepReport,
} from "./types.ts";

export interface PackStore {
  /** Names of the complete packs, in no order; none for a repository that does not exist. */
  list(repo: StoredId): Promise<PackList>;
  /** Whole index of a pack; `pack_vanished` if it is not there. */
  readIndex(repo: StoredId, pack: string): Promise<Buffer>;
  /** Bytes of the pack; `pack_vanished` if it is not there. */
  size(repo: StoredId, pack: string): Promise<number>;
  /** Exactly `length` bytes; `object_corrupt` if the pack ends before them, `pack_vanished` if it is not there. */
  read(repo: StoredId, pack: string, offset: number, length: number): Promise<Buffer>;
  /** Called once a reader has found damage: opens the pack again, and drops a copy that is damaged. */
  recheck(repo: StoredId, pack: string): Promise<void>;
  /**
   * Makes a pack visible, whole or not at all, and durable before it resolves. A pack is named by the checksum of
   * its bytes, so writing it again changes nothing.
   */
  put(
    repo: StoredId,
    pack: string,
    bytes: readonly Buffer[],
    index: Buffer,
    where: PackTarget,
  ): Promise<void>;
  /** Stages a pack that is too large for memory. */
  stage(repo: StoredId, where: PackTarget): Promise<PackStage>;

  /** Notes that `by` contains all objects of the `replaced` packs, which may be removed after the grace period. */
  supersede(repo: StoredId, by: string, replaced: readonly string[]): Promise<void>;
  superseded(repo: StoredId, by: string): Promise<{ replaced: string[]; at: Date }>;
  /** Removes packs, or a note once all packs that it names are removed. Readers of an open pack are not affected. */
  remove(repo: StoredId, what: { packs?: readonly string[]; note?: string }): Promise<void>;

  exists(repo: StoredId): Promise<boolean>;
  /** Whether a repository that does not exist was erased. Its objects are lost otherwise. */
  wasErased(repo: StoredId): Promise<boolean>;
  /** Repositories of skills in an order that stays the same; with `after`, those behind it. */
  repositories(after?: RepoId): AsyncIterable<RepoId>;
  /** Repositories of skills that a sweep has to examine one by one, in such an order. */
  toSweep(after?: RepoId): AsyncIterable<RepoId>;
  /** Repositories of connections. */
  mirrors(): AsyncIterable<MirrorId>;
  /** Moves the repository away in one step, then removes it. */
  erase(repo: StoredId): Promise<void>;
  /** Removes what killed writers have left: temporary files, packs without an index, partly removed repositories. */
  sweep(repo: StoredId | undefined, keepsTrash?: boolean): Promise<{ temporary: number; trash: number }>;
  /** A small text about the whole root; undefined if none was written. */
  readEpoch(): Promise<string | undefined>;
  /** Replaces the text, whole or not at all, and durable before it resolves. */
  writeEpoch(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Whether a write may create the repository. A write that builds on existing objects may not (`repository_missing`),
 * since it would restore a repository that was erased concurrently.
 */
export type PackTarget = "create" | "existing";

export interface PackList {
  packs: string[];
  /** Packs with a note of what they replaced. */
  notes: string[];
}

export interface PackStage {
  append(bytes: readonly Buffer[]): Promise<void>;
  /**
   * Overwrites the start of the pack with `header`, appends the trailer, and makes pack and index visible and
   * durable. `buildIndex` is called once the pack's checksum is known.
   */
  publish(header: Buffer, buildIndex: (checksum: Buffer) => Buffer): Promise<{ pack: string; index: Buffer }>;
  discard(): Promise<void>;
}

export interface RefView {
  advance(repo: StoredId, read: () => Promise<RefTargets>): Promise<AdvanceResult>;
  read(repo: StoredId): Promise<StoredRefs>;
  /** Removes locks of killed processes. */
  sweep(repo: StoredId): Promise<Pick<SweepReport, "locks">>;
}

export interface StoreDriver {
  packs: PackStore;
  refs: RefView;
  /** A directory that native git can open; for a remote store, a copy filled on demand. */
  materialize(repo: RepoId): Promise<string>;
  /** Lets native git write packs into that directory, and makes them visible to every process; returns their names. */
  writeNatively(repo: RepoId, write: (directory: string) => Promise<void>): Promise<string[]>;
  /** The copies of a remote store. */
  copies?: {
    /** Keeps them within their limit, at intervals. */
    schedule(): void;
    trim(): Promise<void>;
  };
}
