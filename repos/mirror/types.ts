/**
 * The Git side of the sync with a customer's repository: what the engine asks of it and what it answers. Nothing here
 * knows who wins; whatever a repository may hold is reported, never thrown.
 */
import type { PackageRule } from "../../contract/package-rules.ts";
import type { SkillType, Visibility } from "../../contract/vocabulary.ts";
import type { FileMode, Identity, MirrorId } from "../store/types.ts";

export type { MirrorId };

/** Where to fetch and push. The authorization never shows in an error, a log or a file. */
export type Remote =
  | {
      kind: "http";
      /** `http:` or `https:`, without user name, password, query or fragment. */
      url: string;
      /** Value of the `Authorization` header. */
      authorization?: string;
      /** Whether addresses of this machine and of private networks may be connected to. */
      allowPrivateNetwork: boolean;
      /** What people call the repository now, where its host tells: it may have been renamed. */
      fullName?: string;
    }
  /** A bare repository on this machine; needs a git program. Its hooks are not run. */
  | { kind: "directory"; path: string };

export interface FetchOptions {
  /** Most bytes of one fetch (256 MB). */
  maxBytes?: number;
  signal?: AbortSignal;
  /** Another branch that is to be told of, as it is at the same moment. */
  beside?: string;
}

/** `empty`: the repository has no commit at all; `no_branch`: it has others. */
export type Fetched =
  | {
      status: "fetched";
      commit: string;
      tree: string;
      bytes: number;
      /** Where the branch that `beside` names is; null if there is none. */
      beside?: string | null;
    }
  | { status: "empty" }
  | { status: "no_branch"; branches: string[]; defaultBranch: string | undefined };

/** What a `.svc.json` says: information for readers. Only the id is ever read back. */
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

/** A directory below `skills/` with a `SKILL.md` or `RULE.md` in it. Nothing below it is another skill's. */
export interface RemoteSkill {
  /** From the root: `skills/<folder>/<skill>`. */
  path: string;
  /** Id of its tree as it stands. */
  tree: string;
  /** Id its tree would have without `.svc.json`: what is compared. */
  contentTree: string;
  /** Id of the blob `.svc.json`, null where there is none. */
  svcBlob: string | null;
  /** Skill id that the `.svc.json` claims; undefined if it has none that can be read. A claim, not a fact. */
  svcId: string | undefined;
  rootFile: "SKILL.md" | "RULE.md";
}

/** Something below `skills/` that is passed over. */
export interface ScanProblem {
  path: string;
  why: "root_file_is_no_file" | "submodule" | "symlink" | "name_not_text" | "too_deep" | "holds_skills";
}

export interface RemoteScan {
  commit: string;
  /** `blocked`: `skills` is there and is no folder; nothing can be read or written. */
  skills: "present" | "absent" | "blocked";
  /** Whether `directories` has every skill; else only those that differ from `since`. */
  complete: boolean;
  directories: RemoteSkill[];
  /** Paths that were skills in `since` and are none now; empty for a complete scan. */
  gone: string[];
  problems: ScanProblem[];
}

export interface RemoteFile {
  /** Relative to the skill's directory. */
  path: string;
  mode: FileMode;
  oid: string;
  /** In bytes. */
  size: number;
}

/** A file that keeps a directory from being imported. */
export interface RefusedFile {
  path: string;
  why: PackageRule | "lfs_pointer" | "rule_with_files" | "file_mode" | "name_not_text";
  /** A sentence for people. */
  message: string;
}

export interface DirectoryListing {
  /** Sorted by the UTF-8 bytes of their paths; without `.svc.json`. */
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
  /** False where the fetched history does not reach the change: the tip is named instead. */
  exact: boolean;
}

export interface MirrorFile {
  path: string;
  mode: FileMode;
  data: Buffer;
}

/**
 * Changes of one push. All `remove` come first, then all `put`, whatever their order in the list.
 *
 * A `put` replaces the whole directory of a skill. Its files are asked for only if neither `path` nor `from` in the
 * parent has that content already.
 */
export type MirrorEdit =
  | {
      kind: "put";
      path: string;
      /** As `contentTreeOf` gives it; held against the files. */
      contentTree: string;
      /** Bytes of `.svc.json`. */
      svc: Buffer;
      files: () => AsyncIterable<MirrorFile> | Iterable<MirrorFile>;
      /** Where the skill lay in the parent, if elsewhere. */
      from?: string;
    }
  | { kind: "remove"; path: string }
  /** `skills/README.md`. */
  | { kind: "index"; data: Buffer };

/** An edit that this repository does not let us make; the others are built without it. */
export interface RefusedEdit {
  path: string;
  /**
   * `skills_blocked`: `skills` is no folder. `path_blocked`: a folder on the way is a file, link or submodule.
   * `occupied`: the directory holds files that are no skill's. `inside_skill`: a folder on the way is a skill.
   */
  why: "skills_blocked" | "path_blocked" | "occupied" | "inside_skill";
  /** The path in the repository that is in the way. */
  blockedBy: string;
}

export interface CommitInfo {
  author: Identity;
  committer?: Identity;
  at: Date;
  message: string;
}

/** For a commit that goes to another branch than the one whose tree it changes. */
export interface Onto {
  /** Where that branch is; null if there is none yet. What it holds is not sent again, as far as it is here. */
  tip: string | null;
  /** Of the commit. The first one, or one that it descends from, is `tip`. */
  parents: readonly string[];
  /** Tree of `skills/` that the branch has: there is nothing to push where the outcome is the same. */
  skills?: string | undefined;
  /** Nothing is kept of it but what it would be. */
  isTrial?: boolean;
}

/** A commit on disk, and the pack that carries it. */
export interface PreparedPush {
  /** Where the branch that it is pushed to has to be. */
  parent: string | null;
  /** Goes to another branch than the one that is mirrored. */
  beside: boolean;
  commit: string;
  tree: string;
  /** Name and bytes of the pack. */
  pack: string;
  bytes: number;
  objects: number;
}

export interface Built {
  /** Undefined where the tree stays as it is: there is nothing to push. */
  prepared: PreparedPush | undefined;
  /** The outcome, pushed or not. */
  tree: string;
  /** Tree of its `skills/`, null without one. */
  skills: string | null;
  refused: RefusedEdit[];
}

/** What the host says against a push. Nothing of it was stored. */
export interface Rejection {
  status: "rejected";
  /** `protected`: nobody may push to the branch; `content`: something in the commit; `other`: a hook's own reason. */
  cause: "protected" | "content" | "other";
  ref: string;
  /** As in the report: `pre-receive hook declined`. */
  reason: string;
  /** What the host printed, at most 8 KB, without control characters but line feeds. */
  text: string;
  /** Paths below `skills/` that the text names. */
  paths: string[];
}

/** `moved`: the branch is not at `parent` any more. Fetch, decide again, build again. */
export type PushResult = { status: "pushed" } | { status: "moved" } | Rejection;

/**
 * One disposable bare repository: a cache of the connected branch. Not for two callers at a time. Where it turns out to
 * be damaged, `fetch` starts afresh by itself; everything else fails with `mirror_damaged`: drop it and fetch.
 */
export interface Mirror {
  /**
   * Brings the branch's tip here: depth 1 at first, then what is new; history rewritten at the remote is met by starting afresh.
   * `remote_too_large` if it takes more than `maxBytes`. Forgets nothing that `scan` may need.
   */
  fetch(remote: Remote, branch: string, options?: FetchOptions): Promise<Fetched>;
  /**
   * Brings another branch's tip here, with a little of its history; what is mirrored stays where it is. Answers the commit,
   * null if there is no such branch.
   */
  fetchBeside(remote: Remote, branch: string, options?: { signal?: AbortSignal }): Promise<string | null>;
  /** What a commit is made of; undefined for one that is not here. */
  look(commit: string): Promise<CommitFacts | undefined>;
  /** Whether one commit is the other or descends from it, as far as history is here. */
  descends(commit: string, from: string): Promise<boolean>;
  /**
   * Whether a commit differs from `ours` by nothing but what the mirrored branch has changed from `before` to `after`: as a
   * merge of that branch does. False where one of them is not here.
   */
  onlyFollows(commit: string, given: { ours: string; before: string; after: string }): Promise<boolean>;
  /**
   * Skills of a fetched commit, or what changed against an earlier one; complete if that is no longer here. Where skills of
   * `known` paths lie below a directory it stays their folder, whatever it has got itself.
   */
  scan(commit: string, options?: { since?: string; known?: Iterable<string> }): Promise<RemoteScan>;
  /** Files of a skill's directory, by the `tree` of its scan. `files` has what may be imported, once nothing is refused. */
  list(skill: Pick<RemoteSkill, "tree" | "rootFile">): Promise<DirectoryListing>;
  /** Whole content of one file of a listing. */
  read(oid: string): Promise<Buffer>;
  /** Writes the files as a zip at `path`, as an upload would bring them; `replace` has other bytes for some. */
  writeZip(files: readonly RemoteFile[], path: string, replace?: ReadonlyMap<string, Buffer>): Promise<void>;
  /** Newest commit that touched each path, within the history fetched. */
  lastChanges(commit: string, paths: readonly string[]): Promise<Map<string, RemoteChange>>;
  /**
   * Puts the edits on the parent's tree as one commit in one pack, on disk for good. Everything outside `skills/`, and what
   * no edit names, keeps its bytes, modes and order. `invalid_draft` for an edit that names something else.
   */
  build(parent: string | null, edits: readonly MirrorEdit[], commit: CommitInfo, onto?: Onto): Promise<Built>;
  /**
   * Sends exactly that pack, if the branch is still at `parent`; never forces. After a `remote_unreachable` it is open
   * whether the host took it: fetch, and see.
   */
  push(
    remote: Remote,
    branch: string,
    prepared: PreparedPush,
    options?: { signal?: AbortSignal },
  ): Promise<PushResult>;
  /** Removes the mirror from disk. The next fetch starts afresh. */
  drop(): Promise<void>;
}

export interface CommitFacts {
  tree: string;
  /** Tree of `skills/`, null without one. */
  skills: string | null;
  parents: string[];
}

export interface RemoteFacts {
  /** The branch that `HEAD` names; undefined where the host does not tell. */
  defaultBranch: string | undefined;
  isEmpty: boolean;
  /** Whether these credentials may push at all; a branch may still be protected. */
  canPush: boolean;
}

export interface Mirrors {
  open(id: MirrorId): Mirror;
  /** All that are on disk, in use or not. */
  list(): AsyncIterable<MirrorId>;
  /** Value of the branch at the remote without fetching: null if there is no such branch. */
  head(remote: Remote, branch: string): Promise<string | null>;
  /** What the remote says of itself, with these credentials. Throws what a fetch would. */
  inspect(remote: Remote): Promise<RemoteFacts>;
  close(): Promise<void>;
}

export interface MirrorOptions {
  /** Folder of all repositories, the store's. */
  root: string;
  log?: (entry: { level: "info" | "warn" | "error"; msg: string } & Record<string, unknown>) => void;
  /** For remotes that are directories: program and where to look for it. */
  git: { program: string; searchPath: string | undefined };
  /** Trees and small blobs kept in memory (32 MB). */
  cacheBytes?: number;
  /** Without a byte from the remote for this long, a request ends (60 seconds). */
  silenceMs?: number;
  /** No request takes longer (10 minutes). */
  requestMs?: number;
  /** The same for a mere look at a remote (`head`, `inspect`), which brings nothing but refs: 10 and 30 seconds. */
  lookSilenceMs?: number;
  lookRequestMs?: number;
}
