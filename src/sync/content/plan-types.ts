/** Input and result of the plan of an import (`plan-import.ts`). A leaf: it imports nothing. */

/** A directory of the branch below `skills/` with a SKILL.md or RULE.md. */
export interface RemoteDirectory {
  /** Path from the repository's root, with `/`. */
  path: string;
  /** Object id of the directory's tree without its `.svc.json`. */
  contentTree: string;
  /** Skill id in its `.svc.json`, which anyone with write access to the branch can edit. */
  svcId: string | undefined;
  /** Object id of that file. */
  svcBlob?: string | null;
}

/** Merge base of a skill: the state on which branch and platform last agreed. */
export interface MergeBase {
  skillId: string;
  path: string;
  contentTree: string;
  svcBlob?: string;
  /** Path to which the repository has moved the directory; the next export moves it back. */
  strayPath?: string;
  /** Number of the skill's newest version at that time. */
  version?: number;
  lastMove?: ExportedMove;
}

/** Move of a skill's directory by the service. */
export interface ExportedMove {
  /** Path that the directory had before. */
  from: string;
  at: Date;
  /**
   * Second directory of the skill, moved by someone who had not fetched the move, until the export removes it. Its
   * content is in a version: the one named, if it was imported as such.
   */
  second?: { path: string; contentTree: string; version?: number };
}

/** A skill of the organization that is not deleted. */
export interface PlatformSkill {
  id: string;
  /** Path of its directory. */
  path: string;
  /** Newest version. */
  head?: { version: number };
}

export interface LaterVersion {
  version: number;
  contentTree: string;
  isImported: boolean;
}

export interface ImportQuestions {
  now(): Date;
  /** The export of the skill's current version. */
  exported(skillId: string): Promise<{ contentTree: string }>;
  /** Content trees of all versions of the skill; read only if the sync state was lost. */
  contentTreesOf(skillId: string): Promise<ReadonlySet<string>>;
  /**
   * Whether a directory has the content of a version of the skill as it may have been pushed: the export adds to texts
   * what they lack. Read only if the directory has lost its `.svc.json`.
   */
  holdsVersion(skillId: string, directory: RemoteDirectory): Promise<boolean>;
  /**
   * Whether the text of a directory is more like that of another skill than like the skill's. Read only if the
   * directory has lost its `.svc.json`.
   */
  resemblesOther(skillId: string, directory: RemoteDirectory): Promise<boolean>;
  /** Versions after a number that have been current, newest first. */
  since(skillId: string, version: number): Promise<readonly LaterVersion[]>;
  /** The problem that a failure of one directory becomes; undefined for any other failure. */
  refusal?(error: unknown, path: string): { code: string; message: string } | undefined;
}

/** Proposals to the branch, which may be merged at any time, in full or in part. */
export interface Proposals {
  /** Paths and contents with which a skill was proposed since the merge base; also for deleted skills. */
  of(skillId: string): readonly { path: string; contentTree: string }[];
  /** Whether the branch has just merged the proposal; read only if a conflict depends on it. */
  areMerged(): Promise<boolean>;
}

export type ImportAction =
  /**
   * Both sides have the same content, or the branch has content that was exported before: only the sync state is
   * updated.
   */
  | {
      kind: "adopt";
      skillId: string;
      path: string;
      contentTree: string;
      strayPath?: string;
      /** The skill has a directory of its own: `strayPath` is one that was moved concurrently. */
      isSecond?: boolean;
      /** Conflict of an import whose sync was interrupted before it recorded the conflict. */
      unrecorded?: { winning: number; losing: number };
    }
  /** The content of the branch becomes a version. `conflict`: it replaces a change of the platform. */
  | {
      kind: "version";
      skillId: string;
      path: string;
      contentTree: string;
      conflict: boolean;
      strayPath?: string;
      isSecond?: boolean;
    }
  /**
   * A new private skill. `after`: the deleted skill whose directory was edited concurrently. `there`: the skill that
   * has this path but no merge base; if the content is equal, the directory is that skill.
   */
  | { kind: "create"; path: string; contentTree: string; after?: string; there?: string }
  /** The directory is neither imported nor written. `skillId`: the skill that is skipped with it. */
  | { kind: "refuse"; path: string; code: string; message: string; skillId?: string };
