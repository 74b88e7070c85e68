/** Results of the search for the identities of directories (`identity.ts`), and the queries on them. */
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

export interface IdentityQuestions {
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
  /** Merge bases by path and stray path. */
  basesAt: ReadonlyMap<string, MergeBase[]>;
  alive: ReadonlyMap<string, PlatformSkill>;
  ask: IdentityQuestions;
  /** Identities by path of the directory. */
  identities: Map<string, Identity>;
  /** Ids of the skills whose directory is found. */
  assigned: Set<string>;
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
    basesAt: basesByPath(bases),
    alive,
    ask,
    identities: new Map(),
    assigned: new Set(),
  };
}

export function assign(search: Search, { path }: RemoteDirectory, skillId: string, identity: Identity): void {
  search.identities.set(path, identity);
  search.assigned.add(skillId);
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

function basesByPath(bases: readonly MergeBase[]): ReadonlyMap<string, MergeBase[]> {
  const found = new Map<string, MergeBase[]>();
  for (const base of bases)
    for (const path of [base.path, base.strayPath])
      if (path !== undefined) found.set(path, [...(found.get(path) ?? []), base]);
  return found;
}
