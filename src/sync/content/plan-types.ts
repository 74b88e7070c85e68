/** Input and result of the plan of an import (`plan-import.ts`). A leaf: it imports nothing. */

/** A directory below `skills/` with a SKILL.md or RULE.md, as the branch has it. */
export interface RemoteDirectory {
  /** From the repository's root, with `/`. */
  path: string;
  /** Object id of the directory's tree without its `.svc.json`. */
  contentTree: string;
  /** Skill id in its `.svc.json`, which anyone with write access to the branch can edit. */
  svcId: string | undefined;
  /** Object id of that file. */
  svcBlob?: string | null;
}

/** What branch and platform held of a skill when they last agreed. */
export interface MergeBase {
  skillId: string;
  path: string;
  contentTree: string;
  svcBlob?: string;
  /** Where the repository has moved the directory to; it is put back by the next export. */
  strayPath?: string;
  /** Number of the skill's newest version then. */
  version?: number;
}

/** A skill of the organization that is not deleted. */
export interface PlatformSkill {
  id: string;
  /** Where its directory belongs. */
  path: string;
  /** Its newest version. */
  head?: { version: number };
}

export interface LaterVersion {
  version: number;
  contentTree: string;
  isImported: boolean;
}

export interface ImportQuestions {
  /** What the skill's current version is exported as. */
  exported(skillId: string): Promise<{ contentTree: string }>;
  /** The content trees of all its versions; asked only where bookkeeping was lost. */
  contentTreesOf(skillId: string): Promise<ReadonlySet<string>>;
  /** Versions over a number that have been current, the newest first. */
  since(skillId: string, version: number): Promise<readonly LaterVersion[]>;
  /** The problem that a failure of one directory becomes; undefined for any other failure. */
  refusal?(error: unknown, path: string): { code: string; message: string } | undefined;
}

/** What was proposed to the branch and may be taken up any time, in full or in part. */
export interface Proposals {
  /** Where and as what a skill was proposed since both sides last agreed; of deleted skills too. */
  of(skillId: string): readonly { path: string; contentTree: string }[];
  /** Whether the branch has just taken up what was proposed: asked only where it tells a conflict from none. */
  areMerged(): Promise<boolean>;
}

export type ImportAction =
  /** Both sides hold the same, or the branch holds what we once wrote: only the books are behind. */
  | {
      kind: "adopt";
      skillId: string;
      path: string;
      contentTree: string;
      strayPath?: string;
      /** The conflict of an import that was not noted before its sync was stopped. */
      unrecorded?: { winning: number; losing: number };
    }
  /** The branch's content becomes a version. `conflict`: the platform had changed too, and its version is passed over. */
  | {
      kind: "version";
      skillId: string;
      path: string;
      contentTree: string;
      conflict: boolean;
      strayPath?: string;
    }
  /**
   * A new private skill. `after`: the deleted skill whose directory was edited meanwhile. `there`: the skill that has this
   * place and no books; if the directory says the same as it does, it is that one.
   */
  | { kind: "create"; path: string; contentTree: string; after?: string; there?: string }
  /** The directory is neither imported nor written. `skillId`: the skill that is skipped with it. */
  | { kind: "refuse"; path: string; code: string; message: string; skillId?: string };
