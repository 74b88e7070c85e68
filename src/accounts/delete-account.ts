/**
 * Deletion of an account, in three steps that each survive a crash. Marked: sign-ins, tokens and look-ups no longer
 * find the account, and it can't join anything. Left: its memberships have ended; an organization without another owner
 * refuses this, and the mark is removed. Committed: the event is written, the names and the address are free for
 * others, and the deletion can't be undone. A job removes the data of the account, its document last.
 */
import { limits } from "../../contract/limits.ts";
import type { Account, UserDoc } from "../../storage/users/users.ts";
import type { Actor, Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { publishEvents, makeSystemEvent, flushEvents } from "../audit/events.ts";
import { concurrentChange } from "../auth/credentials.ts";
import { clearedCookie } from "../auth/sessions.ts";
import { ServiceError } from "../errors.ts";
import type { Cookie } from "../http/route.ts";
import { leaveAllTenants } from "../orgs/members/leave.ts";
import { propagateTenant } from "../orgs/propagate.ts";
import { removeTokensOfUser } from "../tokens/service.ts";
import { requireUnrestricted } from "../users/load.ts";
import { eventOfOwner } from "./mails/mail-links.ts";
import { proveOwnership } from "./prove-ownership.ts";
import { removeGrantsOfUser } from "./remove-grants.ts";

/** Calls that began before the mark have ended after this time, so that they leave nothing behind. */
const underWayMs = 60_000;

/**
 * Deletes the caller's account. Throws `last_owner` with `details.organizations`, what `proveOwnership` throws,
 * `conflict`, or `refused` for an administrator of a service with other accounts. Returns the
 * cookie that clears the session.
 */
export async function deleteAccount(app: App, actor: Actor, password: string | undefined): Promise<Cookie> {
  const caller = requireUnrestricted(actor, "delete the account");
  const account = await proveOwnership(app, caller, password, "delete the account");
  const { users } = app.storage;
  if (account.isAdministrator && (await users.hasOther(account._id)))
    throw new ServiceError(
      "refused",
      "This account administers the service, which other accounts depend on. Remove this right first, once another account has it too.",
    );
  if (!(await users.markDeleted(account, app.now()))) throw concurrentChange();
  queueErasure(app, account._id);
  await leaveAndCommit(app, account, caller.origin);
  return clearedCookie(app);
}

/**
 * Deletes an account that an identity provider has created and no one has ever signed in to. False if it has been put
 * to use since it was read, or is the last owner of an organization.
 */
export async function deleteUnusedAccount(app: App, seen: Account): Promise<boolean> {
  const { users } = app.storage;
  const account = await users.findCredentialsById(seen._id);
  if (!account || account.hasFactor || account.emailVerifiedAt || !account.passwordless) return false;
  if (!(await users.markDeleted(account, app.now()))) return false;
  queueErasure(app, account._id);
  try {
    await leaveAndCommit(app, account, { ipHash: undefined, source: "api", client: "api" });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "last_owner") throw error;
    return false;
  }
}

/** Queued before the account leaves, so that the job also completes a deletion that a crash has interrupted. */
function queueErasure(app: App, userId: string): void {
  const options = { jobId: userId, delayMs: underWayMs };
  app.background("queue the end of an account", () =>
    app.queue.enqueue("maintenance.erase-account", { userId }, options),
  );
}

/** Commits a marked deletion; removes the mark if the account can't leave an organization. */
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
  if (await users.commitDeletion(account._id, [event])) flushEvents(app, users, account._id, [event]);
}

/**
 * Continues a deletion from any step, and removes the data of the account once its last calls have ended. May run
 * twice.
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
  await removeGrantsOfUser(app, userId);
  while ((await app.storage.formerMembers.removeOfUser(userId)) > 0);
  await app.storage.ssoIdentities.removeOfUser(userId);
  while ((await app.storage.connectorCalls.removeOfUser(userId)) > 0);
  while ((await app.storage.follows.removeOfUser(userId)) > 0);
  while ((await app.storage.followedChanges.removeOfUser(userId)) > 0);
  await app.storage.followSettings.remove(userId);
  const committed = await users.findDeleted(userId);
  await publishEvents(app, users, userId, committed?.outbox ?? []);
  await users.removeDeleted(userId);
}

/**
 * Ends memberships that a call has created after the mark. An organization created in that way has no other owner who
 * could delete it, so its deletion is scheduled.
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
  const deleted = await tenants.change(tenantId, {
    when: { deletionAt: { $exists: false } },
    set: { deletionAt },
    now: app.now(),
    events: [event],
  });
  if (!deleted) return;
  await propagateTenant(app, deleted);
  flushEvents(app, tenants, tenantId, [event]);
}
