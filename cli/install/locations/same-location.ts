/**
 * Records of the same file on disk: two tools read one AGENTS.md, two profiles install one skill, or a
 * folder has two paths. The file stays as long as one of the records needs it.
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Config, InstallationRecord } from "../../state/config.ts";
import { isInside } from "./files.ts";

export interface Neighbour {
  profile: string;
  installName: string;
  record: InstallationRecord;
}

/** The records of all profiles about the file or folder at a path, or, with `section`, about sections in that file. */
export async function recordsAt(
  config: Config,
  path: string,
  kind: "whole" | "section",
): Promise<Neighbour[]> {
  const wanted = await realLocation(path, kind);
  const found: Neighbour[] = [];
  for (const neighbour of allRecords(config)) {
    const { record } = neighbour;
    if ((record.method === "section") !== (kind === "section")) continue;
    if (kind === "whole" && basename(record.path) !== basename(path)) continue;
    if (record.path === path || (await realLocation(record.path, kind)) === wanted) found.push(neighbour);
  }
  return found;
}

/** Other records of the same file, folder or section. */
export async function sharersOf(
  config: Config,
  installName: string,
  record: InstallationRecord,
): Promise<Neighbour[]> {
  const kind = record.method === "section" ? "section" : "whole";
  const all = await recordsAt(config, record.path, kind);
  return all.filter((each) => each.record !== record && each.installName === installName);
}

/**
 * A shared file or folders that svc created are removed with the last record that needs them: the obligation is
 * passed to a remaining record.
 */
export async function handOver(config: Config, gone: InstallationRecord): Promise<void> {
  if (gone.createdFile === true) {
    const heir = (await recordsAt(config, gone.path, "section")).find(({ record }) => record !== gone);
    if (heir !== undefined) heir.record.createdFile = true;
  }
  const folder = gone.createdFolder;
  if (folder === undefined) return;
  const heir = [...allRecords(config)].find(({ record }) => record !== gone && isInside(record.path, folder));
  if (
    heir !== undefined &&
    (heir.record.createdFolder === undefined || isInside(heir.record.createdFolder, folder))
  )
    heir.record.createdFolder = folder;
}

/**
 * A path with its links resolved. A link that svc created is its last component, so that of a whole file or folder is
 * not followed; that of a shared file is.
 */
export async function realLocation(path: string, kind: "whole" | "section"): Promise<string> {
  if (kind === "section") {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) return real;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const real = await realpath(parent).catch(() => undefined);
  return join(real ?? (await realLocation(parent, "whole")), basename(path));
}

function* allRecords(config: Config): Generator<Neighbour> {
  for (const [profile, { installed }] of Object.entries(config.profiles))
    for (const [installName, { installs }] of Object.entries(installed))
      for (const record of installs) yield { profile, installName, record };
}
