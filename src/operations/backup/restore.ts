/**
 * `restore`: a point of a backup location into an empty installation, whatever its store. Repositories come first,
 * since the service does not start on an incomplete import. An interrupted restore of the same point continues.
 */
import { createReadStream } from "node:fs";
import { copyFile, constants } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { copyRepository, openPacks } from "../../../repos/store/index.ts";
import { inSlices } from "../../../storage/database.ts";
import { beginImport, requireImportable } from "../../../storage/dump/import-lines.ts";
import type { Stores } from "../../app.ts";
import { confirmRestoreByOperator, findMismatch } from "../../epoch/epoch.ts";
import { storeOf } from "../../open.ts";
import { repairStore } from "../repair.ts";
import { importFrom } from "../transfer.ts";
import { verifyStore, type VerifyReport } from "../verify.ts";
import type { BackupLocation } from "./location.ts";
import { digestOf, fetchFile, keyOf, listPoints, names, packsOf, type Point } from "./points.ts";

export interface Restored {
  point: string;
  documents: number;
  /** The state of the restored installation, after repairs. */
  report: VerifyReport;
  hasKeys: boolean;
}

const concurrency = 4;

/** Throws if there is no such point, if the point is damaged, or if the installation is not empty. */
export async function restore(app: Stores, backups: BackupLocation, name?: string): Promise<Restored> {
  const point = await findPoint(backups, name);
  for (const [file, sha256] of Object.entries(point.manifest.sha256))
    if ((await digestOf(await fetchFile(backups, point.name, file))) !== sha256)
      throw new Error(`The file ${file} of the backup ${point.name} is damaged: restore another backup.`);
  const database = await fetchFile(backups, point.name, names.database);
  const header = await firstLineOf(database);
  if (!(await requireImportable(app.storage.database, header)))
    for await (const _ of app.repos.listRepos())
      throw new Error("The Git store has repositories already: restore into an empty one.");
  await beginImport(app.storage.database, header);
  const present = await restorePacks(app, backups, point);
  const { documents } = await importFrom(app, database);
  await app.storage.migrate();
  await noteErased(app, present);
  const hasKeys = await restoreKeys(app, backups, point);
  const report = await verifyRepaired(app);
  if (await findMismatch(app)) await confirmRestoreByOperator(app, `Restored the backup ${point.name}.`);
  return { point: point.name, documents, report, hasKeys };
}

async function findPoint(backups: BackupLocation, name: string | undefined): Promise<Point> {
  const points = await listPoints(backups);
  const point = name === undefined ? points[0] : points.find((one) => one.name === name);
  if (point) return point;
  const rest = points.length > 0 ? ` There are ${points.map((one) => one.name).join(", ")}.` : "";
  throw new Error(`There is no complete backup${name === undefined ? "" : ` named ${name}`}.${rest}`);
}

async function firstLineOf(file: string): Promise<string> {
  const input = createReadStream(file, "utf8");
  try {
    for await (const line of createInterface({ input })) return line;
    return "";
  } finally {
    input.destroy();
  }
}

/** Returns the keys of the repositories. Throws for a pack of the backup that is missing or damaged. */
async function restorePacks(app: Stores, backups: BackupLocation, point: Point): Promise<Set<string>> {
  const present = new Set<string>();
  const log = () => undefined;
  const [from, to] = [openPacks(backups.git, log), openPacks(storeOf(app.config), log)];
  try {
    for await (const slice of inSlices(packsOf(backups, point.name), 100))
      await mapLimit(slice, concurrency, async ({ repo, packs }) => {
        const [fault] = (await copyRepository(from, to, repo, packs)).faults;
        if (fault)
          throw new Error(`The backup of ${keyOf(repo)} is damaged: ${fault.message}.`, { cause: fault });
        present.add(keyOf(repo));
      });
    return present;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/**
 * Skills that were deleted between the export and the copy have no repository in the backup. They count as erased, also
 * in a store where a repository that is only missing counts as lost.
 */
async function noteErased(app: Stores, present: ReadonlySet<string>): Promise<void> {
  for await (const skillId of app.storage.skills.eachId()) {
    const skill = await app.storage.skills.find(skillId);
    const repo = skill && { tenantId: skill.tenantId, skillId };
    if (repo && !present.has(keyOf(repo))) await app.repos.erase(repo);
  }
}

/** Existing keys are those of SECRET_KEYS, or the operator has put them there. */
async function restoreKeys(
  { config }: Stores,
  backups: BackupLocation,
  { name, manifest }: Point,
): Promise<boolean> {
  if (!(names.keys in manifest.sha256) || config.secretKeys !== undefined) return false;
  const file = path.join(config.dataDir, "secrets");
  try {
    await copyFile(await fetchFile(backups, name, names.keys), file, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return true;
}

/** Corrects what changed between the export and the copy of the repositories, and verifies every version. */
async function verifyRepaired(app: Stores): Promise<VerifyReport> {
  const found = await verifyStore(app, () => undefined);
  if (found.faults.length > 0) await repairStore(app, found);
  const isRepaired = found.faults.some(({ kind }) => kind === "missing-repository" || kind === "phantom");
  return isRepaired ? verifyStore(app, () => undefined) : found;
}
