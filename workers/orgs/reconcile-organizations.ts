/** Completes interrupted changes to organizations, members, teams, roles and invitations. */
import { limits } from "../../contract/limits.ts";
import type { App } from "../../src/app.ts";
import { pruneAvatars } from "../../src/orgs/avatar/avatar.ts";
import { createInvitedMembership } from "../../src/orgs/invitations/membership.ts";
import { enlistOwner, repairOwners } from "../../src/orgs/owners.ts";
import { propagateTenant } from "../../src/orgs/propagate.ts";
import { flushOutboxes } from "../maintenance/flush-outboxes.ts";
import { cleanUpAfterMembers } from "./member-left.ts";
import { reconcileScim } from "./reconcile-scim.ts";
import { cleanUpAfterTeams } from "./team-deleted.ts";

const batch = 100;

/** `before`: documents changed earlier are no longer being written by a live process. */
export async function reconcileOrganizations(app: App, before: Date): Promise<void> {
  const { tenants, memberships, invitations, teams, roles, oidcPolicies } = app.storage;
  const { ssoDomains, ssoProviders, mcpServers } = app.storage;
  await flushOutboxes(app, tenants, before, async (tenant) => {
    await propagateTenant(app, tenant);
    await repairOwners(app, tenant._id);
  });
  // A publish in progress when its organization was deleted may have finished later.
  for (const { _id } of await tenants.listDeleted(batch)) await app.storage.tenantSkills.suspend(_id);
  await flushOutboxes(app, memberships, before, async (member) => {
    if (member.enlisting) await enlistOwner(app, member);
  });
  await flushOutboxes(app, invitations, before, async (invitation) => {
    if (invitation.state === "accepted") await createInvitedMembership(app, invitation);
  });
  for (const invitationId of await invitations.listMailsDue(before, batch))
    await app.queue.enqueue("mail.invitation", { invitationId }, { jobId: invitationId });
  await flushOutboxes(app, teams, before);
  await flushOutboxes(app, roles, before);
  await flushOutboxes(app, oidcPolicies, before);
  await flushOutboxes(app, ssoDomains, before);
  for (const tenantId of await ssoDomains.listFollowUps(before))
    await app.queue.enqueue("sso.domain-verified", { tenantId }, { jobId: tenantId });
  await flushOutboxes(app, mcpServers, before);
  await flushOutboxes(app, app.storage.scimProviders, before);
  await reconcileScim(app, before);
  await flushOutboxes(app, app.storage.connectors, before);
  await flushOutboxes(app, ssoProviders, before);
  await cleanUpAfterMembers(app, before);
  await cleanUpAfterTeams(app, before);
  await pruneAvatars(app);
}

/** Time for which expired invitations are listed and used ones are recognized. */
const endedInvitationMs = 30 * 24 * 3_600_000;

/** Removes ended documents whose events are in the audit log, and queues the erasure of organizations that are due. */
export async function pruneOrganizations(app: App): Promise<void> {
  for (const { _id: tenantId } of await app.storage.tenants.listToErase(app.now(), batch))
    await app.queue.enqueue("orgs.erase", { tenantId }, { jobId: tenantId });
  const before = new Date(app.now().getTime() - endedInvitationMs);
  while ((await app.storage.invitations.removeExpired(before)) > 0);
  while ((await app.storage.roles.removeEnded()) > 0);
  while ((await app.storage.oidcPolicies.removeEnded()) > 0);
  while ((await app.storage.ssoDomains.removeEnded()) > 0);
  const tombstonesBefore = new Date(app.now().getTime() - limits.mcpTombstoneDays * 86_400_000);
  while ((await app.storage.mcpServers.removeEnded(tombstonesBefore)) > 0);
  while ((await app.storage.connectors.removeEnded()) > 0);
  while ((await app.storage.ssoProviders.removeEnded()) > 0);
}
