/**
 * Whether database and Git root belong together. Both have a counter, which a job increments in the database first and
 * then in the root. A root with a higher number than the database means that an older database was restored: it does
 * not know repositories that the right one needs. Nothing is erased then, until an administrator confirms that this is
 * the right database.
 */
import type { EventRow } from "../../storage/outbox.ts";
import type { StoredEpoch } from "../../storage/service/settings.ts";
import type { Actor } from "../access/actor.ts";
import type { App, Stores } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { ServiceError } from "../errors.ts";

/** Processes that are incrementing at the same time, or have ended before they wrote the root. */
const maxLag = 8;
/** Number of repositories of which at least one must be known, before the first epoch is written. */
const sampleSize = 20;
/** A younger repository without a skill may belong to a publish in progress. */
const publishMs = 24 * 3_600_000;

type Epochs = Pick<App, "storage" | "repos" | "now">;

export type EpochMismatch = "database_older" | "git_root_older" | "other_database" | "unknown_git_root";

const descriptions: Record<EpochMismatch, string> = {
  database_older: "The database is older than the Git root, as after the restore of an older backup.",
  git_root_older: "The Git root is older than the database, so versions may be missing: run verify.",
  other_database: "The Git root was used with another database.",
  unknown_git_root: "The Git root has repositories, and none that this database has written.",
};

export const describeMismatch = (mismatch: EpochMismatch) =>
  `${descriptions[mismatch]} Nothing is erased until an administrator confirms that both are right.`;

/** Undefined if database and Git root belong together. */
export async function findMismatch(app: Epochs): Promise<EpochMismatch | undefined> {
  // The root is never ahead of the database, so it is read first.
  const root = await app.repos.readEpoch();
  const stored = (await app.storage.serviceSettings.find())?.epoch;
  if (!root) return (await isKnownRoot(app, stored)) ? undefined : "unknown_git_root";
  if (stored?.service !== root.service) return (await hasRepositories(app)) ? "other_database" : undefined;
  if (root.number > stored.number) return "database_older";
  return stored.number - root.number > maxLag ? "git_root_older" : undefined;
}

/** Whether erasing is safe. Logs why it is not. */
export async function mayErase(app: Epochs & Pick<App, "log">): Promise<boolean> {
  const mismatch = await findMismatch(app);
  if (mismatch) app.log.error({ mismatch }, `${describeMismatch(mismatch)} See /admin/health.`);
  return mismatch === undefined;
}

/**
 * Whether a root without an epoch belongs to the database: the database contains its repositories, or a crash prevented
 * the first epoch from being written.
 */
async function isKnownRoot(app: Epochs, stored: StoredEpoch | undefined): Promise<boolean> {
  if (stored && stored.number > 1) return !(await hasRepositories(app));
  let seen = 0;
  for await (const { skillId } of app.repos.listRepos()) {
    if (app.now().getTime() - Number.parseInt(skillId.slice(0, 8), 16) * 1000 < publishMs) continue;
    if (await app.storage.skills.exists(skillId)) return true;
    if (++seen === sampleSize) return false;
  }
  return seen === 0;
}

async function hasRepositories(app: Pick<App, "repos">): Promise<boolean> {
  for await (const _ of app.repos.listRepos()) return true;
  return false;
}

/** Increments both counters, or writes the first. Without effect on those that don't belong together. */
export async function advanceEpoch(app: Epochs & Pick<App, "log" | "newId">): Promise<void> {
  if (!(await mayErase(app))) return;
  const { serviceSettings } = app.storage;
  const { service } = await serviceSettings.claimEpoch({ service: app.newId(), number: 0 });
  const epoch = await serviceSettings.advanceEpoch(service);
  const root = await app.repos.readEpoch();
  // Another process may have written a later one.
  if (!epoch || (root?.service === service && root.number >= epoch.number)) return;
  await app.repos.writeEpoch(epoch);
}

/** Confirms that database and Git root are right. Throws `refused` if no confirmation is needed. */
export async function confirmRestore(app: App, actor: Actor, reason: string): Promise<void> {
  const events = await adopt(app, (mismatch) =>
    makeEvent(app, actor, "service.restore_confirmed", {
      ...serviceLog,
      resourceType: "service",
      resourceId: "restore",
      metadata: { mismatch, reason },
    }),
  );
  flushEvents(app, app.storage.serviceSettings, "service", events);
}

/** The same by the operator of the machine; the service publishes the event. */
export async function confirmRestoreByOperator(app: Stores, reason: string): Promise<string> {
  let confirmed: EpochMismatch | undefined;
  await adopt(app, (mismatch) => {
    confirmed = mismatch;
    return {
      _id: app.newId(),
      name: "service.restore_confirmed",
      ...serviceLog,
      actor: { type: "system", id: null, name: "operator" },
      resourceType: "service",
      resourceId: "restore",
      metadata: { mismatch, reason },
      createdAt: app.now(),
    };
  });
  return descriptions[confirmed!];
}

/** The new number is higher than both, so that neither counts as older. */
async function adopt(
  app: Epochs & Pick<App, "newId">,
  eventOf: (mismatch: EpochMismatch) => EventRow,
): Promise<EventRow[]> {
  const mismatch = await findMismatch(app);
  if (!mismatch)
    throw new ServiceError(
      "refused",
      "The database and the Git root belong together: no confirmation is needed.",
    );
  const root = await app.repos.readEpoch();
  const stored = (await app.storage.serviceSettings.find())?.epoch;
  const number = Math.max(stored?.number ?? 0, root?.number ?? 0) + 1;
  const epoch = { service: stored?.service ?? app.newId(), number };
  const event = eventOf(mismatch);
  if (!(await app.storage.serviceSettings.replaceEpoch(stored, epoch, [event])))
    throw new ServiceError("conflict", "Another administrator is confirming this: look at the state again.");
  await app.repos.writeEpoch(epoch);
  return [event];
}
