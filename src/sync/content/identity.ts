/**
 * Identities of the directories of a branch: the skill that each one is. A directory is known by its `.svc.json` before
 * it is known by its path, so that directories which were swapped, replaced or moved take their skills along, and no
 * text becomes a version of a skill that it was not written for. Unclear cases are reported and not imported.
 *
 * Pure, except for its questions about the versions of a skill.
 */
import type { SkillProblemCode } from "../../../contract/vocabulary.ts";
import type { MergeBase, PlatformSkill, RemoteDirectory } from "./plan-types.ts";

export type Identity =
  /** The directory of a skill that both sides have agreed on before, at its path or moved. */
  | { kind: "known"; base: MergeBase }
  /** The directory of a skill by its `.svc.json`. */
  | { kind: "claimed"; skill: PlatformSkill }
  /** A new skill. `after`: the deleted skill that the directory was. */
  | { kind: "new"; after?: string }
  /** `skillId`: the skill that the directory may be, which waits as well. */
  | { kind: "unclear"; code: string; message: string; skillId: string };

interface Unclear {
  code: string;
  message: string;
}

type UnclearIdentity = Extract<SkillProblemCode, "identity_unclear" | "claimed_twice">;

const messages = {
  other:
    "Its .svc.json is not that of the skill at this path, so it is left as it is: put that skill's .svc.json back to make this its next version, or move the directory elsewhere to make it a new skill.",
  missing:
    "Its .svc.json is missing or unreadable and its content has changed, so it may be another skill and is left as it is: put the skill's .svc.json back to make this its next version, or move the directory elsewhere to make it a new skill.",
  twice:
    "Several directories have the .svc.json of one skill, and the skill's own directory is gone, so they are left as they are: delete the .svc.json of all but one.",
} as const;

const unclear = (message: string, code: UnclearIdentity = "identity_unclear"): Unclear => ({ code, message });

export interface IdentityQuestions {
  /** The content trees of all versions of a skill. */
  contentTreesOf(skillId: string): Promise<ReadonlySet<string>>;
  /** The problem that a failure of one directory becomes; undefined for any other failure. */
  refusal?(error: unknown, path: string): { code: string; message: string } | undefined;
}

/** How well a directory fits a skill that was last agreed on at its path. */
const fit = { none: 0, possible: 1, certain: 2 } as const;

/** The identity of each directory, by path. */
export async function identifyDirectories(
  directories: readonly RemoteDirectory[],
  bases: readonly MergeBase[],
  alive: ReadonlyMap<string, PlatformSkill>,
  ask: IdentityQuestions,
): Promise<ReadonlyMap<string, Identity>> {
  const at = new Map(directories.map((directory) => [directory.path, directory]));
  const basesAt = basesByPath(bases);
  const identities = new Map<string, Identity>();
  const assigned = new Map<string, string>();
  const assign = (directory: RemoteDirectory, skillId: string, identity: Identity) => {
    identities.set(directory.path, identity);
    assigned.set(skillId, directory.path);
  };

  // By its `.svc.json` first. A skill's own path counts before the one that it was moved to. Deleted skills come last:
  // an interrupted sync may leave the base of one alongside that of the skill that its directory became.
  const living = bases.filter(({ skillId }) => alive.has(skillId));
  const deleted = bases.filter(({ skillId }) => !alive.has(skillId));
  for (const group of [living, deleted]) {
    for (const base of group) assignWhere(base, ({ svcId }) => svcId === base.skillId);
    for (const base of group) assignWhere(base, (directory) => fitOf(directory, base) === fit.certain);
  }
  const disputed = resolveClaims();
  for (const base of [...living, ...deleted]) await assignRest(base);
  for (const directory of directories)
    if (!identities.has(directory.path)) identities.set(directory.path, restOf(directory));
  return identities;

  /** Directories that may be the skill's. The path of a living skill without a directory is not a deleted skill's. */
  function unidentifiedAt({ skillId, path, strayPath }: MergeBase): RemoteDirectory[] {
    return [path, ...(strayPath === undefined ? [] : [strayPath])]
      .flatMap((place) => at.get(place) ?? [])
      .filter((directory) => !identities.has(directory.path))
      .filter((directory) => alive.has(skillId) || livingLostAt(directory.path) === undefined);
  }

  function lostAt(path: string): MergeBase[] {
    return (basesAt.get(path) ?? []).filter(({ skillId }) => !assigned.has(skillId));
  }

  function livingLostAt(path: string): MergeBase | undefined {
    return lostAt(path).find(({ skillId }) => alive.has(skillId));
  }

  function assignWhere(base: MergeBase, isIt: (directory: RemoteDirectory) => boolean): void {
    if (assigned.has(base.skillId)) return;
    const found = unidentifiedAt(base).find(isIt);
    if (found) assign(found, base.skillId, { kind: "known", base });
  }

  /** Directories that name a skill without a directory of its own: a single one is the skill's, several are unclear. */
  function resolveClaims(): ReadonlySet<string> {
    const claimants = new Map<string, RemoteDirectory[]>();
    for (const directory of directories) {
      const { svcId } = directory;
      if (svcId === undefined || identities.has(directory.path)) continue;
      if (!alive.has(svcId) || assigned.has(svcId)) continue;
      claimants.set(svcId, [...(claimants.get(svcId) ?? []), directory]);
    }
    const open = new Set<string>();
    for (const [skillId, found] of claimants) {
      const skill = alive.get(skillId)!;
      const own =
        found.find(({ path }) => path === skill.path) ?? (found.length === 1 ? found[0] : undefined);
      if (own) {
        assign(own, skillId, { kind: "claimed", skill });
        continue;
      }
      open.add(skillId);
      for (const { path } of found)
        identities.set(path, { kind: "unclear", ...unclear(messages.twice, "claimed_twice"), skillId });
    }
    return open;
  }

  /**
   * A directory whose agreed `.svc.json` is missing or unreadable is still the skill's if it holds one of its versions.
   * Any other content may be another skill's, edited: a version made of it could show private text to readers of this
   * skill.
   */
  async function assignRest(base: MergeBase): Promise<void> {
    const { skillId } = base;
    if (assigned.has(skillId)) return;
    const [found] = unidentifiedAt(base).filter((directory) => fitOf(directory, base) === fit.possible);
    if (!found) return;
    const dispute = disputed.has(skillId) ? unclear(messages.twice) : undefined;
    const open = (await contentConflict(found, base)) ?? dispute;
    if (open) identities.set(found.path, { kind: "unclear", ...open, skillId });
    else assign(found, skillId, { kind: "known", base });
  }

  /** Reason why the content of a directory may be another skill's, or can't be compared; undefined if it is not. */
  async function contentConflict(found: RemoteDirectory, base: MergeBase): Promise<Unclear | undefined> {
    const { skillId, svcBlob } = base;
    if (svcBlob === undefined && !isContentElsewhere(found, skillId)) return undefined;
    if (!alive.has(skillId)) return undefined;
    try {
      const isOwn = (await ask.contentTreesOf(skillId)).has(found.contentTree);
      return isOwn ? undefined : unclear(messages.missing);
    } catch (error) {
      const refusal = ask.refusal?.(error, found.path);
      if (!refusal) throw error;
      return refusal;
    }
  }

  /** Whether another skill has this content, or another directory that may be one. */
  function isContentElsewhere({ path, contentTree }: RemoteDirectory, skillId: string): boolean {
    return (
      bases.some((other) => other.skillId !== skillId && other.contentTree === contentTree) ||
      directories.some((other) => other.path !== path && other.contentTree === contentTree)
    );
  }

  function restOf({ path }: RemoteDirectory): Identity {
    const owner = livingLostAt(path);
    if (owner) return { kind: "unclear", ...unclear(messages.other), skillId: owner.skillId };
    const [former] = lostAt(path);
    return former ? { kind: "new", after: former.skillId } : { kind: "new" };
  }
}

function basesByPath(bases: readonly MergeBase[]): ReadonlyMap<string, MergeBase[]> {
  const found = new Map<string, MergeBase[]>();
  for (const base of bases)
    for (const path of [base.path, base.strayPath])
      if (path !== undefined) found.set(path, [...(found.get(path) ?? []), base]);
  return found;
}

/** A `.svc.json` that has not changed since the last agreement adds no information, whichever skill it names. */
function fitOf({ svcId, svcBlob, contentTree }: RemoteDirectory, base: MergeBase): 0 | 1 | 2 {
  if (contentTree === base.contentTree) return fit.certain;
  if (svcBlob && svcBlob === base.svcBlob) return fit.certain;
  return svcId === undefined ? fit.possible : fit.none;
}
