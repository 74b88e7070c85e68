/** The commands `backup`, `backups` and `restore`, as lines to print. */
import type { Stores } from "../../app.ts";
import type { Config } from "../../config.ts";
import { backUp, type Backup, type BackupOptions } from "./backup.ts";
import { openBackups, type BackupLocation } from "./location.ts";
import { listPoints } from "./points.ts";
import { restore } from "./restore.ts";

export interface CommandResult {
  lines: string[];
  /** Whether the exit code is 1. */
  hasFaults: boolean;
}

/** A location is a folder, or the address of a bucket. */
export async function backUpTo(
  app: Stores,
  location: string,
  options: Omit<BackupOptions, "into">,
): Promise<CommandResult> {
  const { name, repositories, packs, copied, bytes, faults } = await notingEnd(app, () =>
    atLocation(app.config, location, true, (into) => backUp(app, { ...options, into })),
  );
  const summary =
    `Backed up ${repositories} repositories with ${packs} packs as ${name}: ${copied} packs are new ` +
    `(${(bytes / 1e6).toFixed(1)} MB), ${faults.length} faults.`;
  return { lines: [...faults, summary], hasFaults: faults.length > 0 };
}

/** Records the end of a backup in the database, for the metrics and the mails to administrators. */
async function notingEnd(app: Stores, work: () => Promise<Backup>): Promise<Backup> {
  const { noteBackup } = app.storage.serviceSettings;
  try {
    const made = await work();
    const { faults } = made;
    await noteBackup(app.now(), faults.length > 0 ? `It has ${faults.length} faults.` : undefined);
    return made;
  } catch (error) {
    await noteBackup(app.now(), (error as Error).message.slice(0, 300)).catch(() => undefined);
    throw error;
  }
}

export async function describeBackups(config: Config, location: string): Promise<CommandResult> {
  const points = await atLocation(config, location, false, listPoints);
  const lines = points.map(
    ({ name, manifest }) =>
      `${name}  ${manifest.repositories} repositories, ${manifest.faults.length} faults`,
  );
  return { lines: lines.length > 0 ? lines : [`${location} has no backup.`], hasFaults: false };
}

export async function restoreFrom(
  app: Stores,
  location: string,
  name: string | undefined,
): Promise<CommandResult> {
  const { point, documents, report, hasKeys } = await atLocation(app.config, location, false, (from) =>
    restore(app, from, name),
  );
  const lines = report.faults.map(
    ({ skillId, version, problem }) => `skill ${skillId}, version ${version}: ${problem}`,
  );
  lines.push(
    `Restored ${point}: ${documents} documents, ${report.skills} skills, ${report.versions} versions, ` +
      `${report.faults.length} faults.`,
  );
  if (!hasKeys)
    lines.push("No keys were restored: SECRET_KEYS must contain the keys of the service that was backed up.");
  return { lines, hasFaults: report.faults.length > 0 };
}

async function atLocation<T>(
  config: Config,
  address: string,
  isWritten: boolean,
  use: (location: BackupLocation) => Promise<T>,
): Promise<T> {
  const location = await openBackups(config, address, isWritten);
  try {
    return await use(location);
  } finally {
    await location.close();
  }
}
