/** The filters of the library next to its words, with the number of skills that each value leaves. Pure. */
import type { Folder, Skill } from "../../api/folders.ts";
import { ancestorsOf, type LibrarySearch, type Staleness } from "./tree.ts";

export type FilterName = "folder" | "tag" | "owner" | "team" | "visibility" | "stale";
export const filterNames = [
  "folder",
  "tag",
  "owner",
  "team",
  "visibility",
  "stale",
] as const satisfies readonly FilterName[];

export interface FilterValue {
  value: string;
  label: string;
  count: number;
}

export interface Filters {
  isNarrowed: boolean;
  passes: (skill: Skill) => boolean;
  values: Readonly<Record<FilterName, FilterValue[]>>;
}

/** Facts beyond the skills themselves. */
export interface FilterFacts {
  now: number;
  folders: ReadonlyMap<string, Folder>;
  /** Names of members by their ids. */
  names: ReadonlyMap<string, string>;
  /** Names of owner teams by their ids. */
  teams: ReadonlyMap<string, string>;
  /** Ids of skills that no member installs; undefined if the user may not know them. */
  uninstalled: ReadonlySet<string> | undefined;
}

const yearMs = 365 * 24 * 3_600_000;
const staleLabels: Readonly<Record<Staleness, string>> = {
  unchanged: "not changed in a year",
  uninstalled: "not installed in 90 days",
};

export function filtersOf(skills: readonly Skill[], search: LibrarySearch, facts: FilterFacts): Filters {
  const valuesOf: Record<FilterName, (skill: Skill) => readonly string[]> = {
    // With the folders that contain it.
    folder: ({ folderId }) => ancestorsOf(facts.folders, folderId).map(({ id }) => id),
    tag: ({ tags }) => tags,
    owner: ({ createdBy }) => [createdBy],
    team: ({ ownerTeam }) => (ownerTeam ? [ownerTeam.id] : []),
    visibility: ({ visibility }) => [visibility],
    stale: (skill) => stalenessOf(skill, facts),
  };
  const passesAll = (skill: Skill, except?: FilterName) =>
    (search.type === undefined || skill.type === search.type) &&
    filterNames.every((name) => {
      const chosen = search[name];
      return name === except || chosen === undefined || valuesOf[name](skill).includes(chosen);
    });
  /** Each filter is counted over the skills that the others leave, so that its other values can be chosen. */
  const count = (name: FilterName): FilterValue[] => {
    const counts = new Map<string, number>(search[name] === undefined ? [] : [[search[name], 0]]);
    for (const skill of skills)
      if (passesAll(skill, name))
        for (const value of valuesOf[name](skill)) counts.set(value, (counts.get(value) ?? 0) + 1);
    return Array.from(counts, ([value, times]) => ({
      value,
      label: labelOf(name, value, facts),
      count: times,
    })).sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
  };
  return {
    isNarrowed: search.type !== undefined || filterNames.some((name) => search[name] !== undefined),
    passes: (skill) => passesAll(skill),
    values: {
      folder: count("folder"),
      tag: count("tag"),
      // Without names, ids would be shown.
      owner: facts.names.size === 0 ? [] : count("owner"),
      team: count("team"),
      visibility: count("visibility"),
      stale: count("stale"),
    },
  };
}

function stalenessOf({ id, updatedAt }: Skill, { now, uninstalled }: FilterFacts): Staleness[] {
  return [
    ...(now - Date.parse(updatedAt) > yearMs ? (["unchanged"] as const) : []),
    ...(uninstalled?.has(id) ? (["uninstalled"] as const) : []),
  ];
}

function labelOf(name: FilterName, value: string, { folders, names, teams }: FilterFacts): string {
  if (name === "folder") return folders.get(value)?.path ?? "a deleted folder";
  if (name === "owner") return names.get(value) ?? "a former member";
  if (name === "team") return teams.get(value) ?? "another team";
  return name === "stale" ? staleLabels[value as Staleness] : value;
}
