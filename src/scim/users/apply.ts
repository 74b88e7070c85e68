/**
 * Makes accounts and memberships follow the document of a provisioned user. It reads the current document, so that it
 * can be repeated: after a crash the reconcile job does so.
 */
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import type { Account } from "../../../storage/users/users.ts";
import { ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { createMembership } from "../../orgs/members/create-membership.ts";
import { afterMemberLeft, endMembership } from "../../orgs/members/leave.ts";
import { createAccount } from "./account.ts";
import { hasCapacity } from "./capacity.ts";
import { isVerifiedDomain } from "./domains.ts";

/** Role of a member whom an identity provider has provisioned. */
export const provisionedRole = "member";

/** Facts that the caller has read just now. */
export interface Known {
  tenant: TenantDoc;
  /** The account is to be created in a domain that the organization has verified. */
  isCreation: boolean;
}

/**
 * Applies a user's document. Of concurrent calls the slowest may have applied an outdated one, so each repeats until
 * its document is current. Throws `conflict` if the account can't be created.
 */
export async function applyUser(app: App, user: ScimUserDoc, known?: Known): Promise<void> {
  for (let applied = user; ;) {
    await applyOnce(app, applied, applied === user ? known : undefined);
    const now = await app.storage.scimUsers.findAny(user._id);
    if (!now || (now.active === applied.active && now.userId === applied.userId)) return;
    applied = now;
  }
}

async function applyOnce(app: App, user: ScimUserDoc, known: Known | undefined): Promise<void> {
  if (user.userId !== undefined) {
    if (user.active && user.present) await join(app, user, known);
    else await leave(app, user);
  }
  if (!user.present) await app.storage.scimGroups.dropMember(user.tenantId, user._id, app.now());
}

/** Applies a user and publishes its events, for the reconcile job. */
export async function completeUser(app: App, user: ScimUserDoc): Promise<void> {
  await applyUser(app, user);
  await publishEvents(app, app.storage.scimUsers, user._id, user.outbox ?? []);
  if (!user.present) await app.storage.scimUsers.remove(user._id);
}

/**
 * The domain is looked up again unless the caller has just done so, since a crash may have delayed this step, or the
 * person may have left in between: no one becomes a member by a decision of the past.
 */
async function join(app: App, user: ScimUserDoc, known: Known | undefined): Promise<void> {
  const { tenantId, restore } = user;
  const userId = user.userId!;
  const found = known?.isCreation ? null : await app.storage.users.find(userId);
  if (found && (await app.storage.memberships.find(tenantId, userId))) return;
  if (!known?.isCreation && !(await mayJoin(app, user, found))) return withdraw(app, user);
  const account = found ?? (await createAccount(app, user));
  if (account === false) {
    await withdraw(app, user);
    const message = `The address "${user.email}" was just assigned to another account: try again.`;
    throw new ServiceError("conflict", message);
  }
  const role = restore ? await existingRole(app, tenantId, restore.role) : provisionedRole;
  const member = {
    id: app.newId(),
    tenantId,
    userId,
    role,
    teamIds: [...new Set([...(await unmanagedTeams(app, user)), ...user.teamIds])],
    createdAt: app.now(),
  };
  const created = account === true ? undefined : account;
  await createMembership(app, member, { tenant: known?.tenant, account: created });
}

/** Whether the organization has verified the domain of the account, or of the one that is to be created. */
async function mayJoin(app: App, user: ScimUserDoc, account: Account | null): Promise<boolean> {
  const isConfirmed = account ? account.emailVerifiedAt !== undefined : user.createsAccount === true;
  return isConfirmed && (await isVerifiedDomain(app, user.tenantId, (account ?? user).emailKey));
}

/** A custom role may have been deleted since. SCIM makes no one an owner. */
async function existingRole(app: App, tenantId: string, role: string): Promise<string> {
  if (role === ownerRole) return provisionedRole;
  if (!isId(role)) return role;
  const [found] = await app.storage.roles.listByIds([role]);
  return found?.tenantId === tenantId ? role : provisionedRole;
}

/** Teams of the previous membership that SCIM does not manage: of the others, the current groups decide. */
async function unmanagedTeams(app: App, { tenantId, restore }: ScimUserDoc): Promise<string[]> {
  const previous = restore?.teamIds ?? [];
  if (previous.length === 0) return [];
  const managed = new Set((await app.storage.scimGroups.listNames(tenantId, previous)).map(({ _id }) => _id));
  return previous.filter((id) => !managed.has(id));
}

/** Ends the membership, whose role and teams are kept. Owners stay members. */
async function leave(app: App, { _id, tenantId, userId }: ScimUserDoc): Promise<void> {
  const member = await app.storage.memberships.find(tenantId, userId!);
  if (!member || member.role === ownerRole) return;
  try {
    await endMembership(app, tenantId, userId!, async ({ role, teamIds }) => {
      if (role === ownerRole) throw new ServiceError("forbidden", "SCIM can't remove owners.");
      await app.storage.scimUsers.keepForRestore(_id, { role, teamIds });
      return undefined;
    });
  } catch (error) {
    // The member became an owner or left concurrently.
    if (!(error instanceof ServiceError) || !["forbidden", "not_found"].includes(error.code)) throw error;
  }
}

/** Deactivates the user. The next activation selects the account again. */
async function withdraw(app: App, { _id, revision }: ScimUserDoc): Promise<void> {
  const patch = { active: false, userId: null, createsAccount: null };
  await app.storage.scimUsers.change(_id, { revision, patch, now: app.now(), events: [] });
}

const waitMs = 5000;

/**
 * Waits until a previous membership is cleaned up, since its remains would apply to a new one. Throws `unavailable` if
 * that takes long.
 */
export async function awaitFormerEnd(app: App, tenantId: string, userId: string): Promise<void> {
  const until = performance.now() + waitMs;
  for (let attempt = 0; ; attempt++) {
    const previous = await app.storage.memberships.listRemoved({ tenantId, userId }, app.now(), 1);
    if (previous.length === 0) return;
    if (attempt === 0) afterMemberLeft(app, { tenantId, userId });
    if (performance.now() > until)
      throw new ServiceError(
        "unavailable",
        "The previous membership of this user is just being ended: try again in a moment.",
      );
    await pause(Math.min(50 * 2 ** attempt, 500));
  }
}

/** Throws `limit_reached` if the organization or the account has no room for another membership. */
export async function requireRoom(app: App, tenantId: string, userId: string | undefined): Promise<void> {
  const { memberships } = app.storage;
  const limit = limits.membersPerOrganization;
  const [isRoom, own] = await Promise.all([
    hasCapacity(app, "members", tenantId, limit, () => memberships.count(tenantId)),
    userId === undefined ? [] : memberships.listOfUser(userId),
  ]);
  if (!isRoom)
    throw new ServiceError("limit_reached", `The organization has ${limit} members, which is the limit.`);
  if (own.length >= limits.organizationsPerUser)
    throw new ServiceError(
      "limit_reached",
      `The user belongs to ${limits.organizationsPerUser} organizations, which is the limit.`,
    );
}
