/** The files of svc that each tool loads: also those of other tools, and not always its own. */
import { dirname } from "node:path";
import type { Target } from "../../../contract/vocabulary.ts";
import type { Context } from "../../context.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { machineOf } from "../../targets/detect.ts";
import { readPaths } from "../../targets/reads.ts";
import { isThere } from "./digest.ts";
import { isInside } from "./files.ts";

/** A tool that loads a skill from several paths of one scope. */
export interface LoadedTwice {
  platform: Target;
  /** Shared files, and folders that have the skill's own. */
  places: string[];
}

/** The user level, or a project. */
type Scope = Pick<InstallationRecord, "scope" | "projectDir">;

/**
 * Looks for the files that the tools load in a scope, and returns a function that finds those which load a skill twice,
 * by its records in that scope.
 */
export async function openLoading(
  context: Context,
  scope: Scope,
  tools: readonly Target[],
): Promise<(records: readonly InstallationRecord[]) => LoadedTwice[]> {
  const loadedBy = await Promise.all(
    tools.map(async (platform) => ({ platform, loaded: (await pathsOf(context, platform, scope)).loaded })),
  );
  return (records) =>
    loadedBy.flatMap(({ platform, loaded }) => {
      const read = readFrom(loaded, records);
      const places = new Set(read.map(({ path, method }) => (method === "section" ? path : dirname(path))));
      return places.size > 1 ? [{ platform, places: [...places].toSorted() }] : [];
    });
}

export interface UnreadRecord {
  record: InstallationRecord;
  /** The file or folder that the tool uses instead, if that is the reason. */
  instead: string | undefined;
}

/** The records whose tool loads none of those that it has. `records`: those of one skill in one scope. */
export async function unreadRecords(
  context: Context,
  records: readonly InstallationRecord[],
): Promise<UnreadRecord[]> {
  const unread: UnreadRecord[] = [];
  for (const platform of new Set(records.map((record) => record.platform))) {
    const own = records.filter((record) => record.platform === platform);
    const { loaded, replaced } = await pathsOf(context, platform, own[0]!);
    if (readFrom(loaded, own).length > 0) continue;
    for (const record of own) unread.push({ record, instead: replaced.get(record.path) });
  }
  return unread;
}

function readFrom(loaded: readonly string[], records: readonly InstallationRecord[]): InstallationRecord[] {
  return records.filter(({ path }) => loaded.some((folder) => isInside(path, folder)));
}

/** The paths that a tool loads in a scope; `replaced`: those that another path replaces. */
async function pathsOf(
  context: Context,
  platform: Target,
  { scope, projectDir }: Scope,
): Promise<{ loaded: string[]; replaced: Map<string, string> }> {
  const location = { ...machineOf(context), scope, projectDir };
  const loaded: string[] = [];
  const replaced = new Map<string, string>();
  for (const { path, unless = [] } of readPaths(platform, location)) {
    const present = await Promise.all(unless.map(isThere));
    const instead = unless[present.indexOf(true)];
    if (instead === undefined) loaded.push(path);
    else replaced.set(path, instead);
  }
  return { loaded, replaced };
}

/** `cursor (.claude/skills, AGENTS.md)` */
export function describeLoading({ platform, places }: LoadedTwice, root: string): string {
  const names = places.map((place) => (isInside(place, root) ? place.slice(root.length + 1) : place));
  return `${platform} (${names.join(", ")})`;
}

/**
 * A sentence on what tools load twice after an install. It is said once: not if the skill, or another one of the scope,
 * was loaded from the same places before. `others`: the records of each skill in the scope before.
 */
export async function loadingWarning(
  context: Context,
  name: string,
  records: readonly InstallationRecord[],
  others: readonly (readonly InstallationRecord[])[],
): Promise<string | undefined> {
  const [first] = records;
  if (first === undefined) return undefined;
  const tools = [...new Set(records.map(({ platform }) => platform))];
  const keyOf = ({ platform, places }: LoadedTwice) => `${platform} ${places.join(" ")}`;
  const find = await openLoading(context, first, tools);
  const fresh = new Map(find(records).map((one) => [keyOf(one), one]));
  for (const other of others) {
    if (fresh.size === 0) return undefined;
    for (const one of find(other)) fresh.delete(keyOf(one));
  }
  if (fresh.size === 0) return undefined;
  const root = first.projectDir ?? context.home;
  const names = [...fresh.values()].map((one) => describeLoading(one, root)).join(", ");
  return `${name} is loaded twice by ${names}, since tools also read the files of others: see svc doctor`;
}
