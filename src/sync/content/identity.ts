/**
 * Identities of the directories of a branch: the skill that each one is. A directory is identified by its `.svc.json`
 * before its path, so that directories which were swapped, replaced or moved take their skills along, and no text
 * becomes a version of a skill that it was not written for. Unclear cases are reported and not imported.
 *
 * Pure, except for its questions about the versions of a skill.
 */
import type { SkillProblemCode } from "../../../contract/vocabulary.ts";
import {
  assign,
  livingLostAt,
  lostAt,
  movedConcurrently,
  openSearch,
  unidentifiedAt,
  unidentifiedAtHome,
  type Identity,
  type IdentityQuestions,
  type Search,
} from "./identity-search.ts";
import type { MergeBase, PlatformSkill, RemoteDirectory } from "./plan-types.ts";

interface Unclear {
  code: string;
  message: string;
}

type UnclearIdentity = Extract<SkillProblemCode, "identity_unclear" | "claimed_twice">;

const messages = {
  other:
    "Its .svc.json is not that of the skill at this path, so it is left as it is: " +
    "put that skill's .svc.json back to make this its next version, or move the directory elsewhere to make " +
    "it a new skill.",
  missing:
    "Its .svc.json is missing or unreadable and its content is like that of another skill, so it is left as " +
    "it is: put the skill's .svc.json back to make this its next version, or move the directory " +
    "elsewhere to make it a new skill.",
  twice:
    "Several directories have the .svc.json of one skill, and the skill's own directory is gone, so they " +
    "are left as they are: delete the .svc.json of all but one.",
} as const;

const unclear = (message: string, code: UnclearIdentity = "identity_unclear"): Unclear => ({ code, message });

/** Certainty that a directory is the skill of the merge base at its path. */
const fit = { none: 0, possible: 1, certain: 2 } as const;

/** The identity of each directory, by path. */
export async function identifyDirectories(
  directories: readonly RemoteDirectory[],
  bases: readonly MergeBase[],
  alive: ReadonlyMap<string, PlatformSkill>,
  ask: IdentityQuestions,
): Promise<ReadonlyMap<string, Identity>> {
  const search = openSearch(directories, bases, alive, ask);
  // By its `.svc.json` first. A skill's own path counts before the one that it was moved to. Deleted skills come last:
  // an interrupted sync may leave the base of one alongside that of the skill that its directory became.
  const living = bases.filter(({ skillId }) => alive.has(skillId));
  const deleted = bases.filter(({ skillId }) => !alive.has(skillId));
  for (const group of [living, deleted]) {
    for (const base of group) assignWhere(search, base, ({ svcId }) => svcId === base.skillId);
    for (const base of group)
      assignWhere(search, base, (directory) => fitOf(directory, base) === fit.certain);
  }
  const disputed = resolveClaims(search);
  for (const at of [unidentifiedAt, unidentifiedAtHome])
    for (const base of [...living, ...deleted]) await assignRest(search, base, at(search, base), disputed);
  const { identities } = search;
  for (const directory of directories)
    if (!identities.has(directory.path)) identities.set(directory.path, restOf(search, directory));
  return identities;
}

function assignWhere(search: Search, base: MergeBase, isIt: (directory: RemoteDirectory) => boolean): void {
  if (search.assigned.has(base.skillId)) return;
  const found = unidentifiedAt(search, base).find(isIt);
  if (found) assign(search, found, base.skillId, { kind: "known", base });
}

/**
 * Directories that name a skill without a directory of its own: a single one is the skill's, several are unclear.
 * Returns the skills for which they are unclear.
 */
function resolveClaims(search: Search): ReadonlySet<string> {
  const open = new Set<string>();
  for (const [skillId, found] of findClaimants(search)) {
    const skill = search.alive.get(skillId)!;
    const own = found.find(({ path }) => path === skill.path) ?? (found.length === 1 ? found[0] : undefined);
    if (own) {
      assign(search, own, skillId, { kind: "claimed", skill });
      continue;
    }
    open.add(skillId);
    for (const { path } of found)
      search.identities.set(path, { kind: "unclear", ...unclear(messages.twice, "claimed_twice"), skillId });
  }
  return open;
}

/** Whether a skill exists and no directory is assigned to it. */
function isUnassigned({ alive, assigned }: Search, skillId: string): boolean {
  return alive.has(skillId) && !assigned.has(skillId);
}

/** Directories by the skill that their `.svc.json` names, for skills without a directory. */
function findClaimants(search: Search): ReadonlyMap<string, RemoteDirectory[]> {
  const { directories, identities } = search;
  const claimants = new Map<string, RemoteDirectory[]>();
  for (const directory of directories) {
    const { svcId } = directory;
    if (svcId === undefined || identities.has(directory.path)) continue;
    if (!isUnassigned(search, svcId)) continue;
    claimants.set(svcId, [...(claimants.get(svcId) ?? []), directory]);
  }
  return claimants;
}

/**
 * A directory whose agreed `.svc.json` is missing or unreadable is still the skill's if it holds one of its versions,
 * or is at the skill's path. This does not apply to the edited content of another skill: a version made of it could
 * show private text to readers of this skill.
 */
async function assignRest(
  search: Search,
  base: MergeBase,
  directories: readonly RemoteDirectory[],
  disputed: ReadonlySet<string>,
): Promise<void> {
  const { skillId } = base;
  if (search.assigned.has(skillId)) return;
  const [found] = directories.filter((directory) => fitOf(directory, base) === fit.possible);
  if (!found) return;
  const dispute = disputed.has(skillId) ? unclear(messages.twice) : undefined;
  const open = (await contentConflict(search, found, base)) ?? dispute;
  if (open) search.identities.set(found.path, { kind: "unclear", ...open, skillId });
  else assign(search, found, skillId, { kind: "known", base });
}

/** Reason why the content of a directory may be another skill's, or can't be compared; undefined if it is not. */
async function contentConflict(
  search: Search,
  found: RemoteDirectory,
  { skillId, svcBlob, strayPath }: MergeBase,
): Promise<Unclear | undefined> {
  const { alive, ask } = search;
  const isElsewhere = isContentElsewhere(search, found, skillId);
  if (svcBlob === undefined && !isElsewhere) return undefined;
  if (!alive.has(skillId)) return undefined;
  try {
    const isOwn =
      (await ask.contentTreesOf(skillId)).has(found.contentTree) || (await ask.holdsVersion(skillId, found));
    if (isOwn) return undefined;
    const isOthers = found.path === strayPath || isElsewhere || (await ask.resemblesOther(skillId, found));
    return isOthers ? unclear(messages.missing) : undefined;
  } catch (error) {
    const refusal = ask.refusal?.(error, found.path);
    if (!refusal) throw error;
    return refusal;
  }
}

/** Whether another skill has this content, or another directory that may be one. */
function isContentElsewhere(
  { bases, directories }: Search,
  { path, contentTree }: RemoteDirectory,
  skillId: string,
): boolean {
  return (
    bases.some((other) => other.skillId !== skillId && other.contentTree === contentTree) ||
    directories.some((other) => other.path !== path && other.contentTree === contentTree)
  );
}

/** Identity of a directory that is not assigned to a skill. */
function restOf(search: Search, directory: RemoteDirectory): Identity {
  const { path } = directory;
  const owner = livingLostAt(search, path);
  if (owner) return { kind: "unclear", ...unclear(messages.other), skillId: owner.skillId };
  const base = movedConcurrently(search, directory);
  if (base) return { kind: "second", base };
  const [previous] = lostAt(search, path);
  return previous ? { kind: "new", after: previous.skillId } : { kind: "new" };
}

/** A `.svc.json` that has not changed since the last agreement adds no information, whichever skill it names. */
function fitOf({ svcId, svcBlob, contentTree }: RemoteDirectory, base: MergeBase): 0 | 1 | 2 {
  if (contentTree === base.contentTree) return fit.certain;
  if (svcBlob && svcBlob === base.svcBlob) return fit.certain;
  return svcId === undefined ? fit.possible : fit.none;
}
