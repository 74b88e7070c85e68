/**
 * The right to administer the service, which at least one account always has. Changes run one after the other: each is
 * first recorded in the settings of the service, and a change that a crash interrupted is completed before the next
 * one. While a change is recorded, no other one can remove the administrator that it counts on.
 */
import { retryLost, type Retries } from "../../../contract/concurrency/retry-lost.ts";
import type { AdminUserPayload } from "../../../contract/payloads/service/administration.ts";
import type { AdministratorChange } from "../../../storage/service/settings.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { administrationEvent, loadAdminUser, readAdminUser } from "./administration.ts";

const maxPauseMs = 50;

/**
 * Throws `conflict` if the account has the right already, `refused` if it is suspended, and
 * `reauthentication_required`, as the removal does.
 */
export function grantAdministrator(app: App, actor: Actor, id: string, reason: string) {
  return changeAdministrator(app, actor, id, { isAdministrator: true, reason });
}

/** Throws `conflict` if the account does not have the right, and `refused` if no other account has it. */
export function removeAdministrator(app: App, actor: Actor, id: string, reason: string) {
  return changeAdministrator(app, actor, id, { isAdministrator: false, reason });
}

async function changeAdministrator(
  app: App,
  actor: Actor,
  id: string,
  { isAdministrator, reason }: { isAdministrator: boolean; reason: string },
): Promise<AdminUserPayload> {
  requireRecentVerification(app, requireUser(actor), "change who administers the service");
  const user = await loadAdminUser(app, id);
  const name = `"${user.username}"`;
  if (user.isAdministrator === isAdministrator)
    throw new ServiceError(
      "conflict",
      `${name} ${isAdministrator ? "administers the service already" : "does not administer the service"}.`,
    );
  if (user.suspended && isAdministrator)
    throw new ServiceError("refused", `${name} is suspended. Restore the account first.`);

  const action = isAdministrator ? "user.administrator_granted" : "user.administrator_removed";
  const event = administrationEvent(app, actor, action, user, { reason });
  const change = { userId: id, isAdministrator, event };
  const isApplied = await applyChange(app, change, await begin(app, change));
  if (isApplied) {
    flushEvents(app, app.storage.users, id, [event]);
    return readAdminUser(app, id);
  }
  if (!isAdministrator && !(await app.storage.users.hasOtherAdministrator(id)))
    throw new ServiceError(
      "refused",
      `${name} is the only administrator of the service. Grant the right to another account first.`,
    );
  throw new ServiceError("conflict", `${name} was changed concurrently. Look at the account and try again.`);
}

/** Records a change and returns its number. Completes changes of other processes that are in the way. */
async function begin(app: App, change: AdministratorChange): Promise<number> {
  const retries: Retries = {
    attempts: 20,
    pauseMs: () => maxPauseMs * Math.random(),
    exhausted: () =>
      new ServiceError("conflict", "Other administrators are being changed. Try again in a moment."),
  };
  return retryLost(retries, async () => {
    const number = await app.storage.serviceSettings.beginAdministratorChange(change);
    if (number === null) await finishAdministratorChange(app);
    return number;
  });
}

/** Completes the change that is under way, if any: its process may have crashed. */
export async function finishAdministratorChange(app: App): Promise<void> {
  const settings = await app.storage.serviceSettings.find();
  if (!settings?.administratorChange) return;
  await applyChange(app, settings.administratorChange, settings.administratorChanges ?? 0);
}

/**
 * Decides and applies a recorded change. Several processes may do so at once: all decide the same while it is recorded,
 * and the number keeps a late one from applying it afterwards. Returns whether the account has its result.
 */
async function applyChange(
  app: App,
  { userId, isAdministrator, event }: AdministratorChange,
  number: number,
): Promise<boolean> {
  const { serviceSettings, users } = app.storage;
  const remains = isAdministrator || (await users.hasOtherAdministrator(userId));
  const change = { number, isAdministrator };
  const isApplied = remains && (await users.applyAdministratorChange(userId, change, "applied", [event]));
  if (!isApplied) await users.applyAdministratorChange(userId, change, "refused", []);
  await serviceSettings.endAdministratorChange(number);
  if (isApplied) return true;
  const user = await users.find(userId);
  return user?.administratorChange === number && user.isAdministrator === isAdministrator;
}
