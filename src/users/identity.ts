/** Who somebody is, where they belong, and where they are invited to: what "whoami" answers. */
import type { IdentityPayload } from "../../contract/payloads.ts";
import type { Account } from "../../storage/users.ts";
import type { Membership } from "../access/actor.ts";
import type { App } from "../app.ts";
import { presentIdentity, type InvitedTo } from "./present.ts";

/** More open invitations than that are shown to nobody at once. */
const shownInvitations = 50;

export async function loadIdentity(
  app: App,
  user: Account,
  memberships: readonly Membership[],
): Promise<IdentityPayload> {
  return presentIdentity(user, memberships, await listInvitedTo(app, user));
}

/** Only a confirmed address is told what it was invited to: anybody may sign up with an address that is not theirs. */
async function listInvitedTo(app: App, user: Account): Promise<InvitedTo[]> {
  if (!user.emailVerifiedAt) return [];
  const invitations = await app.storage.invitations.listOfAddress(user.emailKey, app.now(), shownInvitations);
  if (invitations.length === 0) return [];
  const tenants = await app.storage.tenants.listByIds(invitations.map((one) => one.tenantId));
  return invitations.flatMap((invitation) => {
    const tenant = tenants.find((one) => one._id === invitation.tenantId && !one.deletionAt);
    return tenant ? [{ invitation, tenant }] : [];
  });
}
