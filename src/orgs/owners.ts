/**
 * An organization always has an owner, even if several leave at the same time. `ownerIds` of the organization lists
 * owners that are counted: always current owners, and never none. A member who stops being an owner is removed from the
 * list first, which is refused for the last one; a member who becomes an owner is added afterwards. While that is under
 * way (`enlisting`) the role can't be changed, since a late entry would count a member who is no longer an owner.
 */
import type { MembershipDoc } from "../../storage/memberships/memberships.ts";
import { countedOwners } from "../../storage/organizations/tenants.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

/**
 * Longest time that a change of `ownerIds` is under way; shorter than the age at which the reconcile job takes over.
 */
const underWayMs = 4000;

/** Adds a member who has just become an owner, and ends `enlisting`. */
export async function enlistOwner(app: App, member: MembershipDoc): Promise<void> {
  const { tenants, memberships } = app.storage;
  const { _id, tenantId, userId, revision } = member;
  await tenants.addOwner(tenantId, userId);
  if (!(await memberships.finishEnlisting(_id, revision))) {
    // Another process took this one for dead and ended it: a later change may have made the entry wrong.
    const now = await memberships.find(tenantId, userId);
    if (now?.role !== ownerRole) await tenants.dropOwner(tenantId, userId, app.now());
  }
  await memberships.clearOutbox(_id, []);
}

/** Removes an owner from the counted owners. Throws `last_owner` if none would remain. */
export async function releaseOwner(app: App, member: MembershipDoc): Promise<void> {
  const { tenants } = app.storage;
  if (await tenants.dropOwner(member.tenantId, member.userId, app.now())) return;
  // A crash may have left another owner uncounted.
  await repairOwners(app, member.tenantId);
  if (await tenants.dropOwner(member.tenantId, member.userId, app.now())) return;
  throw lastOwner([{ id: member.tenantId, slug: member.tenantSlug, name: member.tenantName }]);
}

/** Removes the mark that `releaseOwner` has set on an organization, once the membership is changed. */
export function finishOwnerChange(app: App, tenantId: string): void {
  app.background("finish a change of owners", () => app.storage.tenants.clearOutbox(tenantId, []));
}

/**
 * Adds uncounted owners, up to the maximum that is counted, except those whose change may be under way: two owners who
 * leave concurrently would block each other permanently, and an owner added twice may be added too late.
 */
export async function repairOwners(app: App, tenantId: string): Promise<void> {
  const { tenants, memberships } = app.storage;
  const tenant = await tenants.find(tenantId);
  if (!tenant) return;
  const now = app.now();
  const isOver = (since: Date | undefined) =>
    since === undefined || now.getTime() - since.getTime() >= underWayMs;
  for (const owner of await memberships.listWithRole(tenantId, ownerRole, countedOwners)) {
    if (owner.enlisting) {
      if (isOver(owner.enlisting)) await enlistOwner(app, owner);
    } else if (isOver(tenant.pendingSince) && !tenant.ownerIds.includes(owner.userId)) {
      const set = { enlisting: now, pendingSince: now };
      const marked = await memberships.change(owner._id, { revision: owner.revision, set });
      if (marked) await enlistOwner(app, marked);
    }
  }
}

/** Whether an owner is the only owner of the organization. */
export async function isLastOwner(app: App, owner: MembershipDoc): Promise<boolean> {
  await repairOwners(app, owner.tenantId);
  const tenant = await app.storage.tenants.find(owner.tenantId);
  return tenant !== null && tenant.ownerIds.every((id) => id === owner.userId);
}

export function lastOwner(organizations: { id: string; slug: string; name: string }[]): ServiceError {
  const names = organizations.map((one) => `"${one.slug}"`).join(", ");
  return new ServiceError(
    "last_owner",
    `You are the last owner of ${names}: make another member an owner first, or delete the organization.`,
    { kind: "organization", ref: organizations[0]?.slug ?? "", organizations },
  );
}
