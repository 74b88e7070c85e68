/**
 * Auto-join: an account with a confirmed address in a verified domain becomes a member when it confirms the address or
 * signs in. What the organization requires of members (a second factor, single sign-on) withholds the membership as it
 * does any other.
 */
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Origin } from "../../access/actor.ts";
import { ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { domainOfAddress } from "../../users/email-domain.ts";
import { createMembership } from "../members/create-membership.ts";

/** Open invitations of an address that are looked through. */
const shownInvitations = 50;

/**
 * Joins the organization of the account's domain, if any, unless a sign-in through a provider of that organization
 * (`enteredId`) has decided about the membership. A failure is logged: it must not prevent the sign-in.
 */
export async function joinAutomatically(
  app: App,
  account: Account,
  origin: Origin,
  enteredId?: string,
): Promise<void> {
  try {
    await join(app, account, origin, enteredId);
  } catch (error) {
    app.log.error({ error, userId: account._id }, "an account could not join automatically");
  }
}

async function join(app: App, account: Account, origin: Origin, enteredId?: string): Promise<void> {
  if (!account.emailVerifiedAt || account.suspended) return;
  const domain = domainOfAddress(account.email);
  const claim = domain === undefined ? null : await app.storage.ssoDomains.findVerified(domain);
  if (!claim || claim.tenantId === enteredId) return;
  const tenant = await app.storage.tenants.find(claim.tenantId);
  if (!tenant?.autoJoin || tenant.deletionAt || tenant.erasing) return;
  if (await isInvited(app, tenant, account)) return;
  if (!(await canJoin(app, tenant, tenant.autoJoin.role, account))) return;
  const { role } = tenant.autoJoin;
  const event = makeEvent(app, { kind: "anonymous", origin }, "organization.auto_joined", {
    tenantId: tenant._id,
    resourceType: "user",
    resourceId: account._id,
    metadata: { username: account.username, role, domain },
  });
  const { _id: id, username: name } = account;
  const events = [{ ...event, userId: id, actor: { type: "user" as const, id, name } }];
  await createMembership(app, {
    id: app.newId(),
    tenantId: tenant._id,
    userId: id,
    role,
    teamIds: [],
    createdAt: app.now(),
    events,
  });
}

/** An invitation may give another role and teams, so the person is left to accept or decline it. */
async function isInvited(app: App, { _id }: TenantDoc, { emailKey }: Account): Promise<boolean> {
  const open = await app.storage.invitations.listOfAddress(emailKey, app.now(), shownInvitations);
  return open.some(({ tenantId }) => tenantId === _id);
}

async function canJoin(app: App, tenant: TenantDoc, role: string, account: Account): Promise<boolean> {
  const { _id: userId, emailKey } = account;
  const { memberships, formerMembers, roles, scimUsers } = app.storage;
  const whose = { tenantId: tenant._id, userId };
  // The row of a previous membership is written before the ended one is removed, so it is looked up after that.
  const [present, ended, own, members, custom, isProvisioned] = await Promise.all([
    memberships.find(tenant._id, userId),
    memberships.listRemoved(whose, app.now(), 1),
    memberships.listOfUser(userId),
    memberships.count(tenant._id),
    isId(role) ? roles.find(tenant._id, role) : true,
    scimUsers.isProvisioned(tenant._id, { userId, emailKey }),
  ]);
  // The identity provider decides about those whom it provisions, also that they are deactivated.
  if (present || isProvisioned || ended.length > 0 || (await formerMembers.has(tenant._id, userId)))
    return false;
  const reason =
    role === ownerRole || !custom
      ? "the role is gone"
      : members >= limits.membersPerOrganization
        ? "the organization is full"
        : own.length >= limits.organizationsPerUser
          ? "the user belongs to too many organizations"
          : undefined;
  if (reason !== undefined) app.log.warn({ ...whose, reason }, "an account can't join automatically");
  return reason === undefined;
}
