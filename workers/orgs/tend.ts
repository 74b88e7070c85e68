/** Mends what a stop left of changes to organizations, their members, teams, roles and invitations. */
import type { App } from "../../src/app.ts";
import { carryEvents } from "../../src/audit/events.ts";
import { enlistOwner, mendOwners } from "../../src/orgs/owners.ts";
import { followTenant } from "../../src/orgs/service.ts";
import { cleanUpAfterMembers } from "./member-left.ts";
import { cleanUpAfterTeams } from "./team-deleted.ts";

const batch = 100;

/** `before` is the age past which nobody is at work on a document any more. */
export async function tendOrganizations(app: App, before: Date): Promise<void> {
  const { tenants, memberships, teams, roles } = app.storage;
  for (const tenant of await tenants.listUnsettled(before, batch)) {
    await followTenant(app, tenant);
    await mendOwners(app, tenant._id);
    await carryEvents(app, tenants, tenant._id, tenant.outbox ?? []);
  }
  for (const member of await memberships.listUnsettled(before, batch)) {
    if (member.enlisting) await enlistOwner(app, member);
    await carryEvents(app, memberships, member._id, member.outbox ?? []);
  }
  for (const collection of [teams, roles]) {
    for (const document of await collection.listUnsettled(before, batch))
      await carryEvents(app, collection, document._id, document.outbox ?? []);
  }
  await cleanUpAfterMembers(app, before);
  await cleanUpAfterTeams(app, before);
}

/** Removes what has ended and is in the audit log. */
export async function pruneOrganizations(app: App): Promise<void> {
  while ((await app.storage.roles.removeEnded()) > 0);
}
