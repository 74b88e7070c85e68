/**
 * What a repository's edits mean: which directory is which skill, what becomes a version, and who wins. By content alone:
 * a commit's author, its message and its ancestry say nothing here, so that force-pushed history, copied trailers and the
 * echo of our own pushes need no case of their own.
 *
 * Pure, but for what it asks of the platform about skills whose directories differ.
 */

/** A directory below `skills/` with a SKILL.md or RULE.md, as the branch has it. */
export interface RemoteDirectory {
  /** From the repository's root, with `/`. */
  path: string;
  /** Object id of the directory's tree without its `.svc.json`. */
  contentTree: string;
  /** The skill that its `.svc.json` names, whoever wrote that. */
  svcId: string | undefined;
}

/** What branch and platform held of a skill when they last agreed. */
export interface Base {
  skillId: string;
  path: string;
  contentTree: string;
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
  everExported(skillId: string): Promise<ReadonlySet<string>>;
  /** Versions over a number that have been current, the newest first. */
  since(skillId: string, version: number): Promise<readonly LaterVersion[]>;
}

/** What was proposed to the branch and may be taken up any time, in full or in part. */
export interface Proposals {
  /** Where and as what a skill was proposed since both sides last agreed; of deleted skills too. */
  of(skillId: string): readonly { path: string; contentTree: string }[];
  /** Whether the branch has just taken up what was proposed: asked only where it tells a conflict from none. */
  areTaken(): Promise<boolean>;
}

const nothingProposed: Proposals = { of: () => [], areTaken: async () => false };

export type ImportAction =
  /** Both sides hold the same, or the branch holds what we once wrote: only the books are behind. */
  | {
      kind: "adopt";
      skillId: string;
      path: string;
      contentTree: string;
      strayPath?: string;
      /** The conflict of an import that was not noted before its sync was stopped. */
      unnoted?: { winning: number; losing: number };
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
  | { kind: "create"; path: string; contentTree: string; after?: string; there?: string };

/** The actions for all directories of a branch, in the order of their paths. Directories that are as they were have none. */
export async function planImport(
  directories: readonly RemoteDirectory[],
  bases: readonly Base[],
  skills: readonly PlatformSkill[],
  ask: ImportQuestions,
  proposals: Proposals = nothingProposed,
): Promise<ImportAction[]> {
  const baseAt = new Map(bases.map((base) => [base.path, base]));
  for (const base of bases) if (base.strayPath !== undefined) baseAt.set(base.strayPath, base);
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const skillAt = new Map(skills.map((skill) => [skill.path, skill]));
  const alive = new Map(skills.map((skill) => [skill.id, skill]));
  const sorted = directories.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const present = new Set(sorted.map(({ path }) => path));
  const claimants = claimantsOf(sorted, alive);

  const actions: ImportAction[] = [];
  for (const directory of sorted) {
    const base = baseAt.get(directory.path);
    const action = base === undefined ? await ofUnknownPath(directory) : await ofKnownPath(directory, base);
    if (action !== undefined) actions.push(action);
  }
  return actions;

  async function ofKnownPath(
    { path, contentTree }: RemoteDirectory,
    base: Base,
  ): Promise<ImportAction | undefined> {
    const { skillId } = base;
    if (contentTree === base.contentTree) return undefined;
    if (!alive.has(skillId))
      return wasProposed(skillId, contentTree)
        ? { kind: "adopt", skillId, path, contentTree }
        : { kind: "create", path, contentTree, after: skillId };
    const stray = path === base.strayPath ? { strayPath: path } : {};
    return judge({ path: base.path, contentTree, ...stray }, base);
  }

  /** The platform's side of a directory that differs from its base. */
  async function judge(
    found: { path: string; contentTree: string; strayPath?: string },
    base: Base,
  ): Promise<ImportAction> {
    const { skillId, contentTree: agreed } = base;
    const later = await laterThan(base);
    const at = later.findIndex(({ contentTree }) => contentTree === found.contentTree);
    // Taken in from there or written there by a sync that was stopped before it could note it; we may have gone on since.
    if (at >= 0) return { kind: "adopt", skillId, ...found, ...unnotedConflict(later.slice(at), agreed) };
    const { contentTree: platform } = await ask.exported(skillId);
    if (found.contentTree === platform || wasProposed(skillId, found.contentTree))
      return { kind: "adopt", skillId, ...found };
    const rewritten = platform === agreed ? undefined : await rewrittenAs(base);
    if (found.contentTree === rewritten) return { kind: "adopt", skillId, ...found };
    const isTheirs = later.some(({ contentTree, isImported }) => isImported && contentTree === platform);
    const isUnchanged = platform === agreed || platform === rewritten || isTheirs;
    const conflict = !isUnchanged && !(await isEditOfProposal(skillId, platform));
    return { kind: "version", skillId, ...found, conflict };
  }

  async function laterThan({ skillId, version }: Base): Promise<readonly LaterVersion[]> {
    const newest = alive.get(skillId)?.head?.version;
    if (version === undefined || newest === undefined || newest <= version) return [];
    return ask.since(skillId, version);
  }

  /**
   * What was pushed need not be as we write it: then our side of what was agreed on is the version made of it, and a sync
   * that was stopped may have left the branch with that.
   */
  async function rewrittenAs({ skillId, version, contentTree }: Base): Promise<string | undefined> {
    if (version === undefined) return undefined;
    const taken = (await ask.since(skillId, version - 1)).find((one) => one.version === version);
    if (!taken?.isImported) return undefined;
    return (await ask.everExported(skillId)).has(contentTree) ? undefined : taken.contentTree;
  }

  function wasProposed(skillId: string, contentTree: string, path?: string): boolean {
    return proposals
      .of(skillId)
      .some((one) => one.contentTree === contentTree && (path === undefined || one.path === path));
  }

  /** Whoever edits what is proposed has it before them: nothing of the platform's is passed over then. */
  async function isEditOfProposal(skillId: string, platform: string): Promise<boolean> {
    return wasProposed(skillId, platform) && (await proposals.areTaken());
  }

  async function ofUnknownPath(directory: RemoteDirectory): Promise<ImportAction | undefined> {
    const { path, contentTree } = directory;
    const own = claimedBy(directory);
    if (own === undefined) {
      // Made by an import whose books were lost, or the same skill made on both sides.
      const there = skillAt.get(path);
      // A proposed move of which the old place has stayed: the rest of it is proposed again.
      if (there && baseOf.has(there.id) && wasProposed(there.id, contentTree, path)) return undefined;
      // A new skill that was deleted here while it was taken up there.
      const { svcId = "" } = directory;
      if (!alive.has(svcId) && !baseOf.has(svcId) && wasProposed(svcId, contentTree, path))
        return { kind: "adopt", skillId: svcId, path, contentTree };
      if (!there || baseOf.has(there.id)) return { kind: "create", path, contentTree };
      if ((await ask.exported(there.id)).contentTree === contentTree)
        return { kind: "adopt", skillId: there.id, path, contentTree };
      return { kind: "create", path, contentTree, there: there.id };
    }
    const base = baseOf.get(own.id);
    const moved = path === own.path ? {} : { strayPath: path };
    const at = { path: base?.path ?? own.path, contentTree, ...moved };
    if (path === own.path) at.path = path;
    if (base !== undefined && contentTree === base.contentTree)
      return { kind: "adopt", skillId: own.id, ...at };
    if (base !== undefined) return judge(at, base);
    const { contentTree: platform } = await ask.exported(own.id);
    if (contentTree === platform) return { kind: "adopt", skillId: own.id, ...at };
    if ((await ask.everExported(own.id)).has(contentTree)) return { kind: "adopt", skillId: own.id, ...at };
    if (wasProposed(own.id, contentTree)) return { kind: "adopt", skillId: own.id, ...at };
    // Nothing tells what both sides last agreed on, so neither is taken for the older one; but of one version there is none.
    const conflict = own.head?.version !== 1 && !(await isEditOfProposal(own.id, platform));
    return { kind: "version", skillId: own.id, ...at, conflict };
  }

  /** The skill whose directory this one is, at its own place or moved; a copy is nobody's. */
  function claimedBy({ path, svcId }: RemoteDirectory): PlatformSkill | undefined {
    if (svcId === undefined) return proposedNew(path);
    const skill = alive.get(svcId);
    if (skill === undefined) return undefined;
    const base = baseOf.get(skill.id);
    const held = base !== undefined && (present.has(base.path) || present.has(base.strayPath ?? ""));
    return !held && claimants.get(skill.id) === path ? skill : undefined;
  }

  /** The new skill that was proposed for this place, if somebody has taken the `.svc.json` out of it. */
  function proposedNew(path: string): PlatformSkill | undefined {
    const skill = skillAt.get(path);
    const isOwn = skill && !baseOf.has(skill.id) && !claimants.has(skill.id);
    return isOwn && proposals.of(skill.id).some((one) => one.path === path) ? skill : undefined;
  }
}

/** Whether an import, followed by what came before it, has passed over a version of the platform's. */
export function unnotedConflict(
  [winning, losing]: readonly LaterVersion[],
  agreed: string,
): { unnoted?: { winning: number; losing: number } } {
  const isConflict = winning?.isImported && losing && !losing.isImported && losing.contentTree !== agreed;
  return isConflict ? { unnoted: { winning: winning.version, losing: losing.version } } : {};
}

/** Of several directories that name one skill, the one at its own place is it, else the first; the rest are copies. */
function claimantsOf(
  sorted: readonly RemoteDirectory[],
  alive: ReadonlyMap<string, PlatformSkill>,
): ReadonlyMap<string, string> {
  const claimants = new Map<string, string>();
  for (const { path, svcId } of sorted) {
    const skill = svcId === undefined ? undefined : alive.get(svcId);
    if (skill && (path === skill.path || !claimants.has(skill.id))) claimants.set(skill.id, path);
  }
  return claimants;
}
