/** The membership of an accepted invitation, created under the id of the invitation. */
import type { InvitationDoc } from "../../../storage/invitations.ts";
import type { App } from "../../app.ts";
import { createMembership } from "../create-membership.ts";

/**
 * Creates the membership of an accepted invitation unless it exists. A user whom an identity provider has provisioned
 * under the invited address is linked to the account, and joins the teams of its groups. The reconcile job repeats it
 * after a crash.
 */
export async function createInvitedMembership(app: App, invitation: InvitationDoc): Promise<void> {
  const { _id, tenantId, emailKey, acceptedBy = "", role, teamIds, endedAt } = invitation;
  const { scimUsers } = app.storage;
  const provisioned =
    (await scimUsers.linkInvited(tenantId, emailKey, acceptedBy)) ??
    (await scimUsers.findOfAccount(tenantId, acceptedBy));
  await createMembership(app, {
    id: _id,
    tenantId,
    userId: acceptedBy,
    role,
    teamIds: [...new Set([...teamIds, ...(provisioned?.teamIds ?? [])])],
    createdAt: endedAt ?? app.now(),
  });
}
