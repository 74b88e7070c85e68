/** The identity that "whoami" returns: the user, their organizations and their invitations. */
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { Account } from "../../storage/users/users.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { presentIdentity, type InvitedTo } from "./present.ts";

/** Maximum number of open invitations that are shown. */
const shownInvitations = 50;

export async function loadIdentity(
  app: App,
  user: Account,
  memberships: Pick<UserActor, "memberships" | "withheld">,
): Promise<IdentityPayload> {
  return presentIdentity(user, memberships, await listInvitedTo(app, user));
}

/** Invitations are shown to a confirmed address only, since anyone can sign up with another person's address. */
export async function listInvitedTo(app: App, user: Account): Promise<InvitedTo[]> {
  if (!user.emailVerifiedAt) return [];
  const invitations = await app.storage.invitations.listOfAddress(user.emailKey, app.now(), shownInvitations);
  if (invitations.length === 0) return [];
  const tenants = await app.storage.tenants.listByIds(invitations.map((one) => one.tenantId));
  return invitations.flatMap((invitation) => {
    const tenant = tenants.find((one) => one._id === invitation.tenantId && !one.deletionAt);
    return tenant ? [{ invitation, tenant }] : [];
  });
}
