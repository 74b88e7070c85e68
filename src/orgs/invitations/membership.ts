/** The membership of an accepted invitation, created under the id of the invitation. */
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { createMembership } from "../members/create-membership.ts";
import { endMembership } from "../members/leave.ts";
import { linkProvisioned } from "../provisioned.ts";

/**
 * Creates the membership of an accepted invitation unless it exists. A user whom an identity provider has provisioned
 * under the invited address is linked to the account, and joins the teams of its groups. If the identity provider has
 * deactivated the person since it caused the invitation, there is no membership. The reconcile job repeats it after a
 * crash.
 */
export async function createInvitedMembership(app: App, invitation: InvitationDoc): Promise<void> {
  const { _id, tenantId, emailKey, acceptedBy = "", role, teamIds, endedAt } = invitation;
  const { scimUsers } = app.storage;
  const person = { emailKey, userId: acceptedBy };
  const provisioned = await linkProvisioned(app, tenantId, person);
  if (invitation.provisioned && !provisioned?.active) return;
  await createMembership(app, {
    id: _id,
    tenantId,
    userId: acceptedBy,
    role,
    teamIds: [...new Set([...teamIds, ...(provisioned?.teamIds ?? [])])],
    createdAt: endedAt ?? app.now(),
  });
  // SCIM ends the membership that it finds: this one may have begun after that.
  if (invitation.provisioned && (await scimUsers.isDeactivated(tenantId, person)))
    await endMembership(app, tenantId, acceptedBy, () => undefined).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
}
