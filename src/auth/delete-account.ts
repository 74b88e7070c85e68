/**
 * The end of an account, in three steps that each survive a stop. Marked: it is gone for every sign-in, token and
 * look-up, and joins nothing any more. Left: its memberships have ended, which an organization without another owner
 * refuses, and then the mark goes again. Committed: the event is written, names and address are free for others, and
 * there is no way back. What hung on it is removed by a job, its document last.
 */
import { limits } from "../../contract/limits.ts";
import type { UserDoc } from "../../storage/users.ts";
import type { Actor, Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { carryEvents, makeSystemEvent, settleEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import type { Cookie } from "../http/route.ts";
import { leaveAllTenants } from "../orgs/members.ts";
import { followTenant } from "../orgs/service.ts";
import { removeTokensOfUser } from "../tokens/service.ts";
import { requireUnrestricted } from "../users/load.ts";
import { changedMeanwhile, checkOwnPassword } from "./credentials.ts";
import { eventOfOwner } from "./mail-links.ts";
import { clearedCookie } from "./sessions.ts";

/** Calls that began before the mark are over by then, so that nothing of theirs is left behind. */
const underWayMs = 60_000;

/**
 * Deletes the caller's account. Throws `last_owner` with `details.organizations`, `invalid_credentials`,
 * `rate_limited`, `conflict`, or `refused` for an administrator whom others depend on. Answers the cookie that clears
 * their session.
 */
export async function deleteAccount(app: App, actor: Actor, password: string): Promise<Cookie> {
  const caller = requireUnrestricted(actor, "delete the account");
  const account = await checkOwnPassword(app, caller, password);
  const { users } = app.storage;
  if (account.isAdministrator && (await users.hasOther(account._id)))
    throw new ServiceError(
      "refused",
      "This account administers the service, which other accounts depend on.",
    );
  if (!(await users.markDeleted(account, app.now()))) throw changedMeanwhile();
  // Queued first, so that it also goes on with what a stop leaves half done.
  app.background("queue the end of an account", () =>
    app.queue.enqueue(
      "upkeep.erase-account",
      { userId: account._id },
      { jobId: account._id, delayMs: underWayMs },
    ),
  );
  await leaveAndCommit(app, account, caller.origin);
  return clearedCookie(app);
}

/** From a mark to the point of no return; takes the mark back where the account may not leave. */
async function leaveAndCommit(
  app: App,
  account: Pick<UserDoc, "_id" | "username">,
  origin: Origin,
): Promise<void> {
  const { users } = app.storage;
  try {
    await leaveAllTenants(app, account._id);
  } catch (error) {
    await users.unmarkDeleted(account._id);
    throw error;
  }
  const event = eventOfOwner(app, account, origin, "user.deleted");
  if (await users.commitDeletion(account._id, [event])) settleEvents(app, users, account._id, [event]);
}

/**
 * Goes on with a deletion from wherever it stands, and removes what hung on the account once no call of it can be under
 * way any more. May run twice.
 */
export async function finishDeletion(app: App, { userId }: { userId: string }): Promise<void> {
  const { users, sessions } = app.storage;
  const marked = await users.findDeleted(userId);
  if (!marked || marked.deletedAt!.getTime() + underWayMs > app.now().getTime()) return;
  if (!marked.erasing) {
    try {
      await leaveAndCommit(app, marked, { ipHash: undefined, source: "web", client: "web" });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "last_owner") throw error;
      app.log.info({ userId }, "an account is kept, since it became the last owner of an organization");
      return;
    }
  }
  await leaveLatecomers(app, userId);
  while ((await sessions.removeOfUser(userId)) > 0);
  await removeTokensOfUser(app, userId);
  const committed = await users.findDeleted(userId);
  await carryEvents(app, users, userId, committed?.outbox ?? []);
  await users.removeDeleted(userId);
}

/**
 * Ends what a call under way at the mark has still made. An organization that was made so has no other owner and
 * nobody who could delete it, so it goes the way of those that are deleted.
 */
async function leaveLatecomers(app: App, userId: string): Promise<void> {
  try {
    await leaveAllTenants(app, userId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "last_owner") throw error;
    const owned = (error.details?.["organizations"] ?? []) as { id: string }[];
    for (const { id } of owned) await abandon(app, id);
    await leaveAllTenants(app, userId);
  }
}

async function abandon(app: App, tenantId: string): Promise<void> {
  const { tenants } = app.storage;
  const deletionAt = new Date(app.now().getTime() + limits.organizationGraceMs);
  const event = makeSystemEvent(app, "organization.deletion_scheduled", {
    tenantId,
    resourceType: "organization",
    resourceId: tenantId,
    metadata: { deletionAt },
  });
  const deleted = await tenants.scheduleDeletion(tenantId, deletionAt, app.now(), [event]);
  if (!deleted) return;
  await followTenant(app, deleted);
  settleEvents(app, tenants, tenantId, [event]);
}
