import type { ScimUserDoc } from "../../storage/scim/users.ts";
import type { App } from "../app.ts";

/**
 * The user whom an identity provider has provisioned for a person who is about to become a member. One who was invited
 * by the address is linked to the account, so that a later deactivation ends the membership.
 */
export async function linkProvisioned(
  app: App,
  tenantId: string,
  person: { emailKey: string; userId: string },
): Promise<ScimUserDoc | null> {
  const { scimUsers } = app.storage;
  const linked = await scimUsers.linkInvited(tenantId, person, app.now());
  return linked ?? scimUsers.findOfAccount(tenantId, person.userId);
}
