/** Mends what a stop left of changes to organizations, their members, teams, roles and invitations. */
import type { App } from "../../src/app.ts";
import { carryEvents, type SettlingCollection } from "../../src/audit/events.ts";
import { pruneAvatars } from "../../src/orgs/avatar.ts";
import { admitInvited } from "../../src/orgs/join.ts";
import { enlistOwner, mendOwners } from "../../src/orgs/owners.ts";
import { followTenant } from "../../src/orgs/service.ts";
import { mendEach } from "../upkeep/mend-each.ts";
import { cleanUpAfterMembers } from "./member-left.ts";
import { cleanUpAfterTeams } from "./team-deleted.ts";

const batch = 100;

/** `before` is the age past which nobody is at work on a document any more. */
export async function tendOrganizations(app: App, before: Date): Promise<void> {
  const { tenants, memberships, invitations, teams, roles } = app.storage;
  await mendUnsettled(app, tenants, before, async (tenant) => {
    await followTenant(app, tenant);
    await mendOwners(app, tenant._id);
  });
  // A publish that was under way when its organization was deleted may have come after.
  for (const { _id } of await tenants.listDeleted(batch)) await app.storage.tenantSkills.suspend(_id);
  await mendUnsettled(app, memberships, before, async (member) => {
    if (member.enlisting) await enlistOwner(app, member);
  });
  await mendUnsettled(app, invitations, before, async (invitation) => {
    if (invitation.state === "accepted") await admitInvited(app, invitation);
  });
  for (const invitationId of await invitations.listMailsDue(before, batch))
    await app.queue.enqueue("mail.invitation", { invitationId }, { jobId: invitationId });
  await mendUnsettled(app, teams, before);
  await mendUnsettled(app, roles, before);
  await cleanUpAfterMembers(app, before);
  await cleanUpAfterTeams(app, before);
  await pruneAvatars(app);
}

/** A document that carries events. */
interface Carrier {
  _id: string;
  outbox?: Parameters<typeof carryEvents>[3];
}

interface Unsettled<T> extends SettlingCollection {
  listUnsettled(before: Date, limit: number): Promise<T[]>;
}

/** Does what follows from each document that a stop has left, then carries its events to the log. */
async function mendUnsettled<T extends Carrier>(
  app: App,
  collection: Unsettled<T>,
  before: Date,
  follow?: (document: T) => Promise<void>,
): Promise<void> {
  await mendEach(
    app,
    batch,
    (limit) => collection.listUnsettled(before, limit),
    async (document) => {
      await follow?.(document);
      await carryEvents(app, collection, document._id, document.outbox ?? []);
    },
  );
}

/** How long an invitation that ran out stays in sight, and one that was used can still say so. */
const endedInvitationMs = 30 * 24 * 3_600_000;

/** Removes what has ended and is in the audit log, and has organizations erased whose time has come. */
export async function pruneOrganizations(app: App): Promise<void> {
  for (const { _id: tenantId } of await app.storage.tenants.listToErase(app.now(), batch))
    await app.queue.enqueue("orgs.erase", { tenantId }, { jobId: tenantId });
  const before = new Date(app.now().getTime() - endedInvitationMs);
  while ((await app.storage.invitations.removeExpired(before)) > 0);
  while ((await app.storage.roles.removeEnded()) > 0);
}
