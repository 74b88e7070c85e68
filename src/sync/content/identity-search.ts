/** Results of the search for the identities of directories (`identity.ts`), and the queries on them. */
import { isConcurrentMove } from "./import/concurrent-move.ts";
import type { MergeBase, PlatformSkill, RemoteDirectory } from "./plan-types.ts";

export type Identity =
  /** The directory of a skill that both sides have agreed on before, at its path or moved. */
  | { kind: "known"; base: MergeBase }
  /** The directory of a skill by its `.svc.json`. */
  | { kind: "claimed"; skill: PlatformSkill }
  /** A directory that was moved concurrently with the service's move of its skill, which has another one. */
  | { kind: "second"; base: MergeBase }
  /** A new skill. `after`: the deleted skill that the directory was. */
  | { kind: "new"; after?: string }
  /** `skillId`: the skill that the directory may be, which waits as well. */
  | { kind: "unclear"; code: string; message: string; skillId: string };

export interface IdentityQuestions {
  now(): Date;
  /** The content trees of all versions of a skill. */
  contentTreesOf(skillId: string): Promise<ReadonlySet<string>>;
  /** Whether a directory has the content of a version of the skill as it may have been pushed. */
  holdsVersion(skillId: string, directory: RemoteDirectory): Promise<boolean>;
  /** Whether the text of a directory is more like that of another skill. */
  resemblesOther(skillId: string, directory: RemoteDirectory): Promise<boolean>;
  /** The problem that a failure of one directory becomes; undefined for any other failure. */
  refusal?(error: unknown, path: string): { code: string; message: string } | undefined;
}

/** The search for identities, with the results so far. */
export interface Search {
  directories: readonly RemoteDirectory[];
  /** Directories by path. */
  at: ReadonlyMap<string, RemoteDirectory>;
  bases: readonly MergeBase[];
  baseOf: ReadonlyMap<string, MergeBase>;
  /** Paths of the skills in the service. */
  homes: ReadonlySet<string>;
  /** Merge bases by path and stray path. */
  basesAt: ReadonlyMap<string, MergeBase[]>;
  alive: ReadonlyMap<string, PlatformSkill>;
  ask: IdentityQuestions;
  /** Identities by path of the directory. */
  identities: Map<string, Identity>;
  /** Path of the directory that was found, by skill. */
  assigned: Map<string, string>;
}

export function openSearch(
  directories: readonly RemoteDirectory[],
  bases: readonly MergeBase[],
  alive: ReadonlyMap<string, PlatformSkill>,
  ask: IdentityQuestions,
): Search {
  return {
    directories,
    at: new Map(directories.map((directory) => [directory.path, directory])),
    bases,
    baseOf: new Map(bases.map((base) => [base.skillId, base])),
    homes: new Set(Array.from(alive.values(), (skill) => skill.path)),
    basesAt: basesByPath(bases),
    alive,
    ask,
    identities: new Map(),
    assigned: new Map(),
  };
}

export function assign(search: Search, { path }: RemoteDirectory, skillId: string, identity: Identity): void {
  search.identities.set(path, identity);
  search.assigned.set(skillId, path);
}

/** Directories that may be the skill's. The path of a living skill without a directory is not a deleted skill's. */
export function unidentifiedAt(search: Search, { skillId, path, strayPath }: MergeBase): RemoteDirectory[] {
  const { at, identities, alive } = search;
  return [path, ...(strayPath === undefined ? [] : [strayPath])]
    .flatMap((place) => at.get(place) ?? [])
    .filter((directory) => !identities.has(directory.path))
    .filter((directory) => alive.has(skillId) || livingLostAt(search, directory.path) === undefined);
}

/** Skills of a path whose directory is not found yet. */
export function lostAt({ basesAt, assigned }: Search, path: string): MergeBase[] {
  return (basesAt.get(path) ?? []).filter(({ skillId }) => !assigned.has(skillId));
}

/** The directory at the path that the skill has in the service, if that is another than in the merge base. */
export function unidentifiedAtHome({ at, identities, alive }: Search, base: MergeBase): RemoteDirectory[] {
  const path = alive.get(base.skillId)?.path;
  const found = path === undefined || path === base.path ? undefined : at.get(path);
  return found && !identities.has(found.path) ? [found] : [];
}

export function livingLostAt(search: Search, path: string): MergeBase | undefined {
  return lostAt(search, path).find(({ skillId }) => search.alive.has(skillId));
}

/** Merge base of the skill that has moved while this directory was moved elsewhere; undefined for a copy. */
export function movedConcurrently(search: Search, directory: RemoteDirectory): MergeBase | undefined {
  const { alive, assigned, baseOf, homes, ask } = search;
  const { svcId = "" } = directory;
  const [base, path] = [baseOf.get(svcId), assigned.get(svcId)];
  if (!base || path === undefined || !alive.has(svcId) || homes.has(directory.path)) return undefined;
  return isConcurrentMove(directory, base, path, ask.now()) ? base : undefined;
}

function basesByPath(bases: readonly MergeBase[]): ReadonlyMap<string, MergeBase[]> {
  const found = new Map<string, MergeBase[]>();
  for (const base of bases)
    for (const path of [base.path, base.strayPath])
      if (path !== undefined) found.set(path, [...(found.get(path) ?? []), base]);
  return found;
}
