/** The membership of an accepted invitation, created under the id of the invitation. */
import { isDuplicate } from "../../../storage/database.ts";
import type { InvitationDoc } from "../../../storage/invitations.ts";
import { ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { memberNames, propagateUser } from "../../users/member-names.ts";
import { enlistOwner } from "../owners.ts";
import { propagateTenant } from "../propagate.ts";

/** Creates the membership of an accepted invitation unless it exists. The reconcile job repeats it after a crash. */
export async function createInvitedMembership(app: App, invitation: InvitationDoc): Promise<void> {
  const { tenants, users, teams, memberships } = app.storage;
  const { _id, tenantId, acceptedBy = "", role, teamIds, endedAt } = invitation;
  const [tenant, account, offered] = await Promise.all([
    tenants.find(tenantId),
    users.find(acceptedBy),
    teams.listByIds(teamIds),
  ]);
  if (!tenant || tenant.erasing || !account) return;
  try {
    await memberships.insert({
      _id,
      tenantId,
      tenantSlug: tenant.slug,
      tenantName: tenant.name,
      userId: account._id,
      ...memberNames(account),
      role,
      teamIds: offered.filter((team) => team.tenantId === tenantId).map((team) => team._id),
      createdAt: endedAt ?? app.now(),
      ...(role === ownerRole ? { enlisting: app.now(), unsettledAt: app.now() } : {}),
      tenantDeletionAt: tenant.deletionAt,
      tenantMaxTokenDays: tenant.maxTokenDays,
      ...(tenant.mfaRequirement ? { tenantFactorFrom: tenant.mfaRequirement.from } : {}),
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return;
  }
  const made = await memberships.find(tenantId, account._id);
  if (made?.enlisting) await enlistOwner(app, made);
  // The fields that the row repeats may have changed between the read and the write.
  const now = await tenants.find(tenantId);
  if (now && now.updatedAt.getTime() !== tenant.updatedAt.getTime()) await propagateTenant(app, now);
  await propagateUser(app, account);
  afterMemberJoined(app, tenantId);
}

/** Queues the creation of a new member's workspace. The reconcile job does it as well. */
function afterMemberJoined(app: App, tenantId: string): void {
  app.background("queue what a new member gets", () =>
    app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId }),
  );
}
