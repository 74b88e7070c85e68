/**
 * Types of the Git side of the sync with a customer's repository. Unusable content of a repository is reported, never
 * thrown.
 */
import type { PackageRule } from "../../contract/checks/package-rules.ts";
import type { LeftOut } from "../../contract/package/left-out.ts";
import type { SkillProblemCode, SkillType, Visibility } from "../../contract/vocabulary.ts";
import type { HostGuard } from "../guard.ts";
import type { FileMode, Identity, MirrorId } from "../store/types.ts";
import type { GeneratedEdit } from "./generated/types.ts";

export type { MirrorId };
/** A repository to fetch from and push to. The authorization never appears in an error, a log or a file. */
export type Remote = (
  | {
      kind: "http";
      /** `http:` or `https:`, without user name, password, query or fragment. */
      url: string;
      /** Value of the `Authorization` header. */
      authorization?: string;
      /** Whether addresses of this machine and of private networks are allowed. */
      allowPrivateNetwork: boolean;
      /** Current name of the repository, if its host reports it: it may have been renamed. */
      fullName?: string;
    }
  /**
   * A bare repository on this machine; needs a git program. Its hooks are not run and its configuration is not read.
   * `views`: folder for git's views of it, on the same disk; by default next to the repository.
   */
  | { kind: "directory"; path: string; views?: string }
) & {
  /** Checked before each request. */
  guard?: HostGuard;
};

export interface FetchOptions {
  /** Maximum size of one fetch (256 MB). */
  maxBytes?: number;
  signal?: AbortSignal;
  /** Another branch whose tip is reported, as of the same moment. */
  secondBranch?: string;
}

/** `empty`: the repository has no commit at all; `no_branch`: it has others. */
export type Fetched =
  | {
      status: "fetched";
      commit: string;
      tree: string;
      bytes: number;
      /** Tip of the branch that `secondBranch` names, or null if it does not exist. */
      secondBranch?: string | null;
    }
  | { status: "empty" }
  | { status: "no_branch"; branches: string[]; defaultBranch: string | undefined };

/** Content of a `.svc.json`: information for readers. Only the id is read back. */
export interface SvcRecord {
  id: string;
  version: number;
  semver: string;
  type: SkillType;
  visibility: Visibility;
  tags: readonly string[];
  author: { name: string; username: string } | null;
  versionAuthor: { name: string; username: string } | null;
}

/** A directory below `skills/` with a `SKILL.md` or `RULE.md`. No skill lies below another. */
export interface RemoteSkill {
  /** From the root: `skills/<folder>/<skill>`. */
  path: string;
  /** Id of its tree. */
  tree: string;
  /** Id of its content (`content.ts`); used for comparisons. */
  contentTree: string;
  leftOut: readonly LeftOut[];
  /** Id of the blob `.svc.json`, or null if it does not exist. */
  svcBlob: string | null;
  /** Skill id in the `.svc.json`, or undefined if it can't be read. A claim, not a fact. */
  svcId: string | undefined;
  rootFile: "SKILL.md" | "RULE.md";
}

/** Content below `skills/` that is skipped. */
export interface ScanProblem {
  path: string;
  why: PackageRule | ScanFault;
  /** A sentence for users. */
  message: string;
}

/** `occupied`, `root_file_missing`, `path_blocked`: content at the path of a skill that is not a skill. */
export type ScanFault = Extract<
  SkillProblemCode,
  | "root_file_is_no_file"
  | "root_file_missing"
  | "root_file_misplaced"
  | "wrong_case"
  | "occupied"
  | "path_blocked"
  | "submodule"
  | "symlink"
  | "name_not_text"
  | "too_deep"
  | "holds_skills"
>;

export interface RemoteScan {
  commit: string;
  /** `blocked`: `skills` exists but is not a folder, so nothing can be read or written. */
  skills: "present" | "absent" | "blocked";
  /** Whether `directories` has every skill, or those that differ from `since`. */
  complete: boolean;
  directories: RemoteSkill[];
  /** Paths that were skills in `since` and no longer are; empty for a complete scan. */
  gone: string[];
  /** At most 1,000. */
  problems: ScanProblem[];
  /** By known path: content that is not a skill, so it can be neither imported nor replaced. */
  unreadable: Map<string, ScanProblem>;
}

export interface RemoteFile {
  /** Relative to the skill's directory. */
  path: string;
  mode: FileMode;
  oid: string;
  /** In bytes. */
  size: number;
}

/** A file that prevents the import of its directory. */
export interface RefusedFile {
  path: string;
  why: PackageRule | "lfs_pointer" | "rule_with_files" | "file_mode" | "name_not_text";
  /** A sentence for users. */
  message: string;
}

export interface DirectoryListing {
  /** The content, sorted by the UTF-8 bytes of the paths. */
  files: RemoteFile[];
  totalBytes: number;
  refused: RefusedFile[];
}

export interface RemoteChange {
  oid: string;
  /** First line of the message, at most 500 characters, without control characters. */
  subject: string;
  authorName: string;
  authorEmail: string;
  at: Date;
  /** False if the change is beyond the fetched history, and the tip is named instead. */
  exact: boolean;
}

export interface MirrorFile {
  path: string;
  mode: FileMode;
  data: Buffer;
}

/**
 * Changes of one push. All `remove` edits are applied first, then all `put` edits, in any order of the list.
 *
 * `kept` proves that an edit loses nothing: the content trees that a version has, or that both sides last agreed on. A
 * directory with any other content is neither replaced nor removed.
 */
export type MirrorEdit = PutEdit | RemoveEdit | GeneratedEdit;

/**
 * Replaces the content of a skill's directory, which keeps what is left out. The files are read only if neither `path`
 * nor `from` in the parent already has that content.
 */
export interface PutEdit {
  kind: "put";
  path: string;
  /** Result of `contentTreeOf`; verified against the files. */
  contentTree: string;
  /** Bytes of `.svc.json`. */
  svc: Buffer;
  files: () => AsyncIterable<MirrorFile> | Iterable<MirrorFile>;
  /** Path of the skill in the parent, if different. */
  from?: string;
  kept?: ReadonlySet<string>;
}

export interface RemoveEdit {
  kind: "remove";
  path: string;
  kept: ReadonlySet<string> | undefined;
}

/** Edits without the content to write. */
export type PlannedEdit = Omit<PutEdit, "svc" | "files"> | RemoveEdit | GeneratedEdit;

/** An edit that the repository's content prevents; the others are built without it. */
export interface RefusedEdit {
  path: string;
  /**
   * `skills_blocked`: `skills` is not a folder. `path_blocked`: a folder on the path is a file, link or submodule.
   * `occupied`: the directory has files that do not belong to a skill. `inside_skill`: a folder on the path is a skill.
   * `not_imported`: the directory has content that is not known to be kept elsewhere. `index_edited`: the list of
   * skills has content that the service did not write. `marketplace_foreign`: so has a file of a marketplace.
   * `damaged_tree`: a folder on the path has two entries with the same name. `unreadable`: the service can't read the
   * files of the skill; `cause` has the reason.
   */
  why: Extract<
    SkillProblemCode,
    | "skills_blocked"
    | "path_blocked"
    | "occupied"
    | "inside_skill"
    | "not_imported"
    | "index_edited"
    | "marketplace_foreign"
    | "damaged_tree"
    | "unreadable"
  >;
  /** The conflicting path in the repository. */
  blockedBy: string;
  cause?: unknown;
}

export interface CommitInfo {
  author: Identity;
  committer?: Identity;
  at: Date;
  message: string;
}

/** For a commit that is pushed to another branch than the one whose tree it changes. */
export interface Onto {
  /** Tip of that branch, or null if it does not exist. Its objects are not sent again if they are in the cache. */
  tip: string | null;
  /** Parents of the commit. The first one is `tip` or a descendant of it. */
  parents: readonly string[];
  /** Tree of `skills/` on the branch: if the result is the same, there is nothing to push. */
  skills?: string;
  isTrial?: boolean; // Only computes the result, without keeping the commit.
}

/** A commit on disk, and its pack. */
export interface PreparedPush {
  /** Required tip of the branch that it is pushed to. */
  parent: string | null;
  /** Whether it is pushed to another branch than the mirrored one. */
  secondBranch: boolean;
  commit: string;
  tree: string;
  /** Name and bytes of the pack. */
  pack: string;
  bytes: number;
  objects: number;
}

export interface Built {
  /** Undefined if the tree does not change: there is nothing to push. */
  prepared: PreparedPush | undefined;
  /** The resulting tree, pushed or not. */
  tree: string;
  /** Tree of its `skills/`, or null if it does not exist; with a marketplace, a digest of that and of its files. */
  skills: string | null;
  refused: RefusedEdit[];
}

/** A push that the host rejected. The host stored nothing of it. */
export interface Rejection {
  status: "rejected";
  /** `protected`: no pushes to the branch; `unsigned`: signed commits only; `content`: its files; `other`: a hook. */
  cause: "protected" | "unsigned" | "content" | "other";
  ref: string;
  /** As in the report: `pre-receive hook declined`. */
  reason: string;
  /** Output of the host, at most 8 KB, without control characters except line feeds. */
  text: string;
  /** Paths below `skills/` that the text names. */
  paths: string[];
}

/** `stale`: the branch is no longer at `parent`. Fetch, plan and build again. */
export type PushResult = { status: "pushed" } | { status: "stale" } | Rejection;

/**
 * One disposable bare repository: a cache of the connected branch. Only for one caller at a time. If it is damaged,
 * `fetch` recreates it; every other operation fails with `mirror_damaged`: drop it and fetch.
 */
export interface Mirror {
  /**
   * Fetches the branch: first its tip with depth 1, later only new commits. If history was rewritten at the remote, the
   * cache is recreated. `remote_too_large` if it exceeds `maxBytes`. Removes nothing that `scan` may need.
   */
  fetch(remote: Remote, branch: string, options?: FetchOptions): Promise<Fetched>;
  /**
   * Fetches the tip of another branch with some of its history; the mirrored tip does not change. Returns the commit,
   * or null if the branch does not exist.
   */
  fetchSecondBranch(
    remote: Remote,
    branch: string,
    options?: { signal?: AbortSignal },
  ): Promise<string | null>;
  /** Trees and parents of a commit; undefined if it is not in the cache. */
  readCommit(commit: string): Promise<CommitFacts | undefined>;
  /** Whether one commit is the other or descends from it, within the cached history. */
  isDescendant(commit: string, from: string): Promise<boolean>;
  /**
   * Whether a commit differs from `ours` only by changes of the mirrored branch from `before` to `after`, as a merge of
   * that branch does. False if one of the commits is not in the cache.
   */
  containsOnlyUpstreamChanges(
    commit: string,
    given: { ours: string; before: string; after: string },
  ): Promise<boolean>;
  /**
   * Skills of a fetched commit, or those that changed since an earlier one; complete if the earlier one is no longer in
   * the cache. A directory above skills of `known` paths remains their folder, even if it has a root file itself.
   */
  scan(commit: string, options?: { since?: string; known?: Iterable<string> }): Promise<RemoteScan>;
  /** Sorted paths of skills outside `skills/` that are no copies of `known` ones. */
  elsewhere(commit: string, known: readonly Pick<RemoteSkill, "tree">[]): Promise<string[]>;
  /** Files of a skill's directory, by the `tree` of its scan. `files` may be imported only if `refused` is empty. */
  list(skill: Pick<RemoteSkill, "tree" | "rootFile">): Promise<DirectoryListing>;
  /** Whole content of one file of a listing. */
  read(oid: string): Promise<Buffer>;
  /** Writes the files as a zip at `path`, in the form of an upload; `replace` has other bytes for some of them. */
  writeZip(files: readonly RemoteFile[], path: string, replace?: ReadonlyMap<string, Buffer>): Promise<void>;
  /** Newest commit that touched each path, within the history fetched. */
  lastChanges(commit: string, paths: readonly string[]): Promise<Map<string, RemoteChange>>;
  /**
   * Applies the edits to the parent's tree as one commit in one pack, durable on disk. Everything that no edit names
   * keeps its bytes, modes and order. `invalid_draft` for an edit of another path.
   */
  build(parent: string | null, edits: readonly MirrorEdit[], commit: CommitInfo, onto?: Onto): Promise<Built>;
  /** The edits that `build` would refuse, except those whose files can't be read. Writes nothing. */
  check(parent: string | null, edits: readonly PlannedEdit[]): Promise<RefusedEdit[]>;
  /**
   * Sends exactly that pack if the branch is still at `parent`; never forces. After `remote_unreachable`, the host may
   * or may not have accepted it: fetch to find out.
   */
  push(
    remote: Remote,
    branch: string,
    prepared: PreparedPush,
    options?: { signal?: AbortSignal },
  ): Promise<PushResult>;
  /** Removes the mirror from disk. The next fetch recreates it. */
  drop(): Promise<void>;
}

export interface CommitFacts {
  tree: string;
  /** Tree of `skills/`, null without one. */
  skills: string | null;
  parents: string[];
}

export interface RemoteFacts {
  /** The branch that `HEAD` names; undefined if the host does not report it. */
  defaultBranch: string | undefined;
  /** Whether it has no refs. */
  isEmpty: boolean;
  /** The first 1,000 by name. */
  branches: string[];
  /** Whether these credentials allow pushes; a branch may still be protected. */
  canPush: boolean;
}

export interface Mirrors {
  open(id: MirrorId): Mirror;
  /** All mirrors on disk, in use or not. */
  list(): AsyncIterable<MirrorId>;
  /** Tip of the branch at the remote, without a fetch; null if it does not exist. */
  head(remote: Remote, branch: string): Promise<string | null>;
  /** Properties of the remote, with these credentials. Throws the same errors as a fetch. */
  inspect(remote: Remote): Promise<RemoteFacts>;
  close(): Promise<void>;
}

export interface MirrorOptions {
  /** Folder of all repositories, shared with the store. */
  root: string;
  log?: (entry: { level: "info" | "warn" | "error"; msg: string } & Record<string, unknown>) => void;
  /** For remotes that are directories: the program and its search path. */
  git: { program: string; searchPath: string | undefined };
  /** Trees and small blobs kept in memory (32 MB). */
  cacheBytes?: number;
  /** A request ends after this time without a byte from the remote (60 seconds). */
  silenceMs?: number;
  /** Maximum duration of a request (10 minutes). */
  requestMs?: number;
  /** The same limits for `head` and `inspect`, which transfer only refs: 10 and 30 seconds. */
  lookSilenceMs?: number;
  lookRequestMs?: number;
}
