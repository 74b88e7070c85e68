import type { Readable } from "node:stream";
import type { FileMode } from "../../contract/checks/package-rules.ts";
import type { ZipForm, ZipRules } from "../archive/index.ts";
import type { NativeGit } from "../native-git.ts";
import type { ObjectStoreOptions } from "../object-store/types.ts";

/** The two ids that address a repository: 24 hex digits each (MongoDB object ids), never a slug. */
export interface RepoId {
  tenantId: string;
  skillId: string;
}

/** The two ids that address the mirror of a connection (`repos/mirror/`), in the same form. */
export interface MirrorId {
  tenantId: string;
  connectionId: string;
}

/** Any repository on disk. */
export type StoredId = RepoId | MirrorId;

export type { FileMode };

export interface TreeFile {
  /** Relative to the root, `/` between components, checked against `contract/checks/package-rules.ts`. */
  path: string;
  mode: FileMode;
  data: Buffer;
}

/**
 * Source of a version's files: memory, or a zip spooled on disk. A zip is checked against every
 * package rule as it is read (`PackageError`), and over 16 MB it is streamed into the pack in a worker thread.
 * An edit keeps files of a version of the same repository, whose blobs are permanent, next to those in memory.
 */
export type TreeSource =
  | { kind: "files"; files: readonly TreeFile[] }
  | { kind: "edit"; files: readonly TreeFile[]; kept: readonly FileEntry[] }
  | ({ kind: "zip"; path: string } & Omit<ZipRules, "limits">);

export interface Identity {
  name: string;
  email: string;
}

/** The fields of a commit other than its tree. */
export interface CommitDraft {
  /** Commit this version follows; none for a first version. */
  parent?: string;
  author: Identity;
  /** Default: `svc <git@noreply.<committerHost>>`. */
  committer?: Identity;
  /** Author and committer time, to the second, written as `+0000`. */
  at: Date;
  message: string;
  /** `Svc-…` keys to one-line values, in this order. `Svc-Content` is added by the store. */
  trailers: Record<string, string>;
}

export interface VersionDraft extends CommitDraft {
  source: TreeSource;
}

/** A file that the service makes, not executable. */
export interface SmallFile {
  path: string;
  data: Buffer;
}

/** The files of a version of a skill, in a folder. */
export interface CopiedVersion {
  path: string;
  skill: RepoId;
  commit: string;
  /** Commit of the same skill whose files are in the parent of the assembled commit. */
  known?: string;
}

/** A commit of versions of several skills, each with files of the service beside it. */
export interface AssembledDraft extends Pick<CommitDraft, "parent" | "author" | "at" | "message"> {
  /** Folders at the root or below it; with `treeOid`, one that the parent has. */
  folders: readonly (
    | { path: string; treeOid: string }
    | { path: string; files: readonly SmallFile[]; copied: readonly CopiedVersion[] }
  )[];
  files: readonly SmallFile[];
  /** Bytes of the versions that are copied, by which the work is done in a thread or not. */
  copiedBytes: number;
}

export interface AssembledCommit {
  oid: string;
  /** Ids of the trees of the folders, by their paths. */
  folders: ReadonlyMap<string, string>;
}

export interface FileEntry {
  path: string;
  mode: FileMode;
  size: number;
  /** Hex SHA-256 of the bytes. */
  sha256: string;
  /** Git blob id. */
  oid: string;
}

export interface WrittenCommit {
  oid: string;
  treeOid: string;
  /**
   * Hex SHA-256 of the canonical content (`docs/concepts/versions.md`): equal digests mean equal files, names and
   * modes.
   */
  digest: string;
  /** In UTF-8 byte order of the paths. */
  files: FileEntry[];
  fileCount: number;
  totalBytes: number;
  /** Bytes of the packs that were written for it. */
  packBytes: number;
}

export interface StoredCommit {
  oid: string;
  treeOid: string;
  parents: string[];
  author: Identity;
  committer: Identity;
  at: Date;
  /** The version message as it was published, without the trailers. */
  message: string;
  trailers: Record<string, string>;
}

export interface ListedFile {
  path: string;
  mode: FileMode;
  oid: string;
  size: number;
}

export interface StoredFile {
  path: string;
  mode: FileMode;
  oid: string;
  data: Buffer;
}

export interface OpenedFile {
  mode: FileMode;
  oid: string;
  size: number;
  /** Ends with an error, not with an end, if the bytes are not those of `oid`. To be read or destroyed. */
  stream: Readable;
}

export interface OpenedZip {
  /** Bytes of the whole zip. */
  size: number;
  /** To be read or destroyed: it holds an open file. */
  stream: Readable;
}

/** Targets of the derived refs; `null` removes a ref. */
export interface RefTargets {
  /** Current version. */
  main: string | null;
  /** Newest version of all, prereleases included. */
  head: string | null;
  /** All tags, except those that Git can't name; undefined leaves them as they are. */
  tags?: readonly TagTarget[];
  /** Versions that clients do not get, but that stay: they are replaced with the tags. */
  hidden?: readonly TagTarget[];
}

export interface TagTarget {
  /** `v` and a semantic version. */
  name: string;
  oid: string;
}

export interface StoredRefs extends RefTargets {
  tags: TagTarget[];
}

/** `contended`: another process holds the lock and will write the same facts; nothing is wrong. */
export type AdvanceResult = "advanced" | "unchanged" | "contended";

export interface MaintenanceReport {
  /** Packs written by merging, and packs they replaced (deleted after the grace). */
  written: number;
  superseded: number;
}

export interface SweepReport {
  locks: number;
  temporary: number;
  packs: number;
}

export interface SharedSweepReport {
  trash: number;
  artifacts: number;
}

/** A counter that the database has as well (`src/epoch/`). */
export interface Epoch {
  /** Id of the service that writes to the root. */
  service: string;
  number: number;
}

export interface StoreOptions {
  /** Folder of all repositories, or of the copies of an object store; created when missing. */
  root: string;
  /** The object store that has the repositories, and the limit of the copies in `root`. */
  remote?: { store: ObjectStoreOptions; maxBytes: number } | undefined;
  /** Host name in the committer's address, as in `git@noreply.<host>`. */
  committerHost: string;
  log?: (entry: { level: "info" | "warn" | "error"; msg: string } & Record<string, unknown>) => void;
  /** Open pack files kept for reading (256). */
  readHandles?: number;
  /** Trees and small blobs kept in memory (64 MB). */
  cacheBytes?: number;
  /** Replaced packs stay this long for readers that still use them (10 minutes). */
  graceMs?: number;
  /** A lock older than this belonged to a process that was killed (10 seconds). */
  staleLockMs?: number;
  /** Zips not asked for in this time are dropped from the cache by `sweep` (7 days). */
  artifactIdleMs?: number;
  /** Merge small packs in the background once enough have gathered (true). */
  autoMaintain?: boolean;
}

export interface SkillStore {
  /**
   * Writes blobs, trees and the commit as one pack. When it resolves they are durable on disk, and reachable by
   * commit id only: no ref moves. The same draft twice gives the same ids and no second pack.
   */
  writeCommit(repo: RepoId, draft: VersionDraft): Promise<WrittenCommit>;
  /** The same tree on another parent, for a publish that lost the race: writes the commit object only. */
  recommit(repo: RepoId, written: WrittenCommit, draft: CommitDraft): Promise<WrittenCommit>;

  /** Writes a commit of versions of other repositories, durable when it resolves. No ref moves. */
  assemble(repo: RepoId, draft: AssembledDraft): Promise<AssembledCommit>;

  readCommit(repo: RepoId, oid: string): Promise<StoredCommit>;
  /** In UTF-8 byte order of the paths. */
  listFiles(repo: RepoId, commitOid: string): Promise<ListedFile[]>;
  readFile(repo: RepoId, commitOid: string, path: string): Promise<StoredFile | undefined>;
  /** For files that should not be held in memory. */
  openFile(repo: RepoId, commitOid: string, path: string): Promise<OpenedFile | undefined>;
  /** Every file, in order, with a bounded read-ahead. */
  readFiles(repo: RepoId, commitOid: string): AsyncIterable<StoredFile>;

  /** Recomputes the canonical SHA-256 from the stored bytes; throws `digest_mismatch`. */
  verify(repo: RepoId, commitOid: string, expectedDigest: string): Promise<void>;
  /**
   * The version as a deterministic zip. Its content is verified when the zip is made; later calls answer from disk. The
   * bytes of a `stored` zip are the same on every machine and in every release.
   */
  openZip(repo: RepoId, commitOid: string, expectedDigest: string, form?: ZipForm): Promise<OpenedZip>;

  /** Writes what `read` says, asked again under the lock. Refs are derived: a skipped or lost advance harms nothing. */
  advanceRefs(repo: RepoId, read: () => Promise<RefTargets>): Promise<AdvanceResult>;
  readRefs(repo: RepoId): Promise<StoredRefs>;

  exists(repo: RepoId): Promise<boolean>;
  /** Whether a repository that does not exist was erased. Its objects are lost otherwise. */
  wasErased(repo: RepoId): Promise<boolean>;
  /** Repositories in an order that stays the same; with `after`, those behind it. */
  listRepos(after?: RepoId): AsyncIterable<RepoId>;
  /** Repositories that may have something to sweep, likewise. */
  listReposToSweep(after?: RepoId): AsyncIterable<RepoId>;
  /** A directory that native git can serve from. */
  materialize(repo: RepoId): Promise<string>;
  /** Removes a repository and its cached zips: gone from its place at once, from disk when it resolves. */
  erase(repo: RepoId): Promise<void>;

  /** Merges small packs where 16 of a size class have gathered. Never loses an object; safe during publishes. */
  maintain(repo: RepoId): Promise<MaintenanceReport>;
  /** Packs that nothing has replaced yet: each costs a look when an object is searched for. */
  countPacks(repo: RepoId): Promise<number>;
  /** Bytes of all packs, without those that others have replaced. */
  measure(repo: RepoId): Promise<number>;
  /**
   * Repacks everything that refs reach with the machine's git. For idle repositories only, since it is CPU-intensive.
   * Throws `git_missing`. Never loses an object; safe during publishes.
   */
  repack(repo: RepoId, git: NativeGit): Promise<MaintenanceReport>;
  /** Faults that native git finds in objects and refs; empty if there are none. Throws `git_missing`. */
  findFaults(repo: RepoId, git: NativeGit): Promise<string[]>;
  /** Removes what killed processes left in a repository, and replaced packs past their grace. */
  sweep(repo: RepoId): Promise<SweepReport>;
  /**
   * Removes trash, and idle zips of a part of the cache; the next call looks at the next part.
   *
   * @param keepsTrash leaves repositories whose erasure was interrupted
   */
  sweepShared(keepsTrash?: boolean): Promise<SharedSweepReport>;
  /** The epoch that was written last; undefined if there is none. */
  readEpoch(): Promise<Epoch | undefined>;
  /** Durable when it resolves. */
  writeEpoch(epoch: Epoch): Promise<void>;
  /** Takes no more work, waits for what is under way, then lets go of files and threads. */
  close(): Promise<void>;
}
