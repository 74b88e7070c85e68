/** The files of svc that each tool loads: also those of other tools, and not always its own. */
import { dirname } from "node:path";
import type { Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import type { InstallationRecord } from "../state/config.ts";
import { machineOf } from "../targets/detect.ts";
import { readPaths } from "../targets/reads.ts";
import { isThere } from "./digest.ts";
import { isInside } from "./files.ts";

/** A tool that loads a skill from several paths of one scope. */
export interface LoadedTwice {
  platform: Target;
  /** Shared files, and folders that have the skill's own. */
  places: string[];
}

/** `records`: those of one skill in one scope. */
export async function loadedTwice(
  context: Context,
  records: readonly InstallationRecord[],
  tools: readonly Target[],
): Promise<LoadedTwice[]> {
  const twice: LoadedTwice[] = [];
  for (const platform of tools) {
    const read = await readBy(context, platform, records);
    const places = new Set(read.map(({ path, method }) => (method === "section" ? path : dirname(path))));
    if (places.size > 1) twice.push({ platform, places: [...places].toSorted() });
  }
  return twice;
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
    if ((await readBy(context, platform, own)).length > 0) continue;
    const { replaced } = await pathsOf(context, platform, own[0]!);
    for (const record of own) unread.push({ record, instead: replaced.get(record.path) });
  }
  return unread;
}

async function readBy(
  context: Context,
  platform: Target,
  records: readonly InstallationRecord[],
): Promise<InstallationRecord[]> {
  if (records[0] === undefined) return [];
  const { loaded } = await pathsOf(context, platform, records[0]);
  return records.filter(({ path }) => loaded.some((folder) => isInside(path, folder)));
}

/** The paths that a tool loads in the scope of a record; `replaced`: those that another path replaces. */
async function pathsOf(
  context: Context,
  platform: Target,
  { scope, projectDir }: InstallationRecord,
): Promise<{ loaded: string[]; replaced: Map<string, string> }> {
  const location = { ...machineOf(context), scope, ...(projectDir === undefined ? {} : { projectDir }) };
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
  const known = new Set<string>();
  for (const other of others)
    for (const one of await loadedTwice(context, other, tools)) known.add(keyOf(one));
  const fresh = (await loadedTwice(context, records, tools)).filter((one) => !known.has(keyOf(one)));
  if (fresh.length === 0) return undefined;
  const root = first.projectDir ?? context.home;
  const names = fresh.map((one) => describeLoading(one, root)).join(", ");
  return `${name} is loaded twice by ${names}, since tools also read the files of others: see svc doctor`;
}
