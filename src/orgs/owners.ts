/**
 * No organization is ever without an owner, whoever leaves at once. `ownerIds` of the organization are owners that are
 * counted on: always real ones, and never none. Whoever stops being an owner is first taken off them, which the last
 * can't be; whoever becomes one is entered afterwards, and while that is under way (`enlisting`) nobody takes the role
 * back, since a late entry would count on somebody who is an owner no more.
 */
import type { MembershipDoc } from "../../storage/memberships.ts";
import { countedOwners } from "../../storage/tenants.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

/** After so long nobody is on the way into `ownerIds` or out of them any more; less than the age at which reconciling takes over. */
const underWayMs = 4000;

/** Enters somebody who has just become an owner, and ends `enlisting`. */
export async function enlistOwner(app: App, member: MembershipDoc): Promise<void> {
  const { tenants, memberships } = app.storage;
  const { _id, tenantId, userId, revision } = member;
  await tenants.addOwner(tenantId, userId);
  if (!(await memberships.finishEnlisting(_id, revision))) {
    // Ended by somebody who took this process for stopped: what has come since may have made the entry untrue.
    const now = await memberships.find(tenantId, userId);
    if (now?.role !== ownerRole) await tenants.dropOwner(tenantId, userId, app.now());
  }
  await memberships.settle(_id, []);
}

/** Takes an owner off those that are counted on. Throws `last_owner` when that would leave none. */
export async function releaseOwner(app: App, member: MembershipDoc): Promise<void> {
  const { tenants } = app.storage;
  if (await tenants.dropOwner(member.tenantId, member.userId, app.now())) return;
  // Another owner may be there whom a stop has left uncounted.
  await mendOwners(app, member.tenantId);
  if (await tenants.dropOwner(member.tenantId, member.userId, app.now())) return;
  throw lastOwner([{ id: member.tenantId, slug: member.tenantSlug, name: member.tenantName }]);
}

/** Lets an organization settle that was marked for it by `releaseOwner`, once the membership has followed. */
export function settleOwners(app: App, tenantId: string): void {
  app.background("settle owners", () => app.storage.tenants.settle(tenantId, []));
}

/**
 * Counts on every owner, up to as many as are counted on; but not on those who may just be coming or leaving: two who
 * leave at once would keep one another for ever, and whoever is entered twice may be entered late.
 */
export async function mendOwners(app: App, tenantId: string): Promise<void> {
  const { tenants, memberships } = app.storage;
  const tenant = await tenants.find(tenantId);
  if (!tenant) return;
  const now = app.now();
  const isOver = (since: Date | undefined) =>
    since === undefined || now.getTime() - since.getTime() >= underWayMs;
  for (const owner of await memberships.listWithRole(tenantId, ownerRole, countedOwners)) {
    if (owner.enlisting) {
      if (isOver(owner.enlisting)) await enlistOwner(app, owner);
    } else if (isOver(tenant.unsettledAt) && !tenant.ownerIds.includes(owner.userId)) {
      const marked = await memberships.change(owner._id, owner.revision, { enlisting: now }, []);
      if (marked) await enlistOwner(app, marked);
    }
  }
}

/** Whether nobody else owns the organization of an owner. */
export async function isLastOwner(app: App, owner: MembershipDoc): Promise<boolean> {
  await mendOwners(app, owner.tenantId);
  const tenant = await app.storage.tenants.find(owner.tenantId);
  return tenant !== null && tenant.ownerIds.every((id) => id === owner.userId);
}

export function lastOwner(organizations: { id: string; slug: string; name: string }[]): ServiceError {
  const names = organizations.map((one) => `"${one.slug}"`).join(", ");
  return new ServiceError(
    "last_owner",
    `You are the last owner of ${names}: make another member an owner first, or delete the organization.`,
    { kind: "team", ref: organizations[0]?.slug ?? "", organizations },
  );
}
