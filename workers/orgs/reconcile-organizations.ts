/** Completes interrupted changes to organizations, members, teams, roles and invitations. */
import { limits } from "../../contract/limits.ts";
import type { App } from "../../src/app.ts";
import { pruneAvatars } from "../../src/orgs/avatar/avatar.ts";
import { cleanUpAfterMembers } from "./member-left.ts";
import { reconcileScim } from "./reconcile-scim.ts";
import { cleanUpAfterTeams } from "./team-deleted.ts";

const batch = 100;

/** `before`: documents changed earlier are no longer being written by a live process. */
export async function reconcileOrganizations(app: App, before: Date): Promise<void> {
  const { tenants, invitations, ssoDomains, tenantSkills } = app.storage;
  // A publish in progress when its organization was deleted may have finished later.
  for (const { _id } of await tenants.listDeleted(batch)) await tenantSkills.suspend(_id);
  for (const invitationId of await invitations.listMailsDue(before, batch))
    await app.queue.enqueue("mail.invitation", { invitationId }, { jobId: invitationId });
  for (const tenantId of await ssoDomains.listFollowUps(before))
    await app.queue.enqueue("sso.domain-verified", { tenantId }, { jobId: tenantId });
  await reconcileScim(app, before);
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
  while ((await app.storage.skillCollections.removeEnded()) > 0);
  while ((await app.storage.slugReservations.removeEnded(app.now())) > 0);
  while ((await app.storage.connectors.removeEnded()) > 0);
  while ((await app.storage.webhooks.removeEnded()) > 0);
  while ((await app.storage.ssoProviders.removeEnded()) > 0);
}
