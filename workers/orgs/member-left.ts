/**
 * Removes everything that depended on a membership that has ended. Every collection with documents of a member has a
 * cleaner here, which may run twice. The ended membership, which prevents the user from rejoining, is removed last.
 */
import type { App } from "../../src/app.ts";
import { publishEvents } from "../../src/audit/events.ts";
import { removeConnectors } from "../../src/connectors/remove.ts";
import { revokeGrantsOf } from "../../src/folders/access/access.ts";
import { removeMcpInstallsOfMember } from "../../src/mcp-servers/installs.ts";
import { removeInstallsOfMember } from "../../src/skills/analytics/installs.ts";
import { removeFollowsOfMember } from "../../src/skills/following/follow.ts";
import { keepWorkspace } from "../../src/workspaces/leave.ts";
import { repairEach } from "../maintenance/repair-each.ts";

type Cleaner = (app: App, member: { tenantId: string; userId: string }) => Promise<unknown>;

const cleaners: readonly Cleaner[] = [
  (app, { tenantId, userId }) => app.storage.scimUsers.noteLeft(tenantId, userId),
  keepWorkspace,
  (app, { tenantId, userId }) => revokeGrantsOf(app, tenantId, userId),
  ({ storage }, { tenantId, userId }) => storage.ssoIdentities.removeOfMember(tenantId, userId),
  (app, { tenantId, userId }) => removeInstallsOfMember(app, tenantId, userId),
  (app, { tenantId, userId }) => removeMcpInstallsOfMember(app, tenantId, userId),
  (app, { tenantId, userId }) => removeConnectors(app, { tenantId, userId }),
  (app, { tenantId, userId }) => removeFollowsOfMember(app, tenantId, userId),
];

const batch = 100;

export async function cleanUpAfterMember(
  app: App,
  member: { tenantId: string; userId: string },
): Promise<void> {
  const { memberships } = app.storage;
  const { tenantId, userId } = member;
  const ended = await memberships.listRemoved({ tenantId, userId }, app.now(), batch);
  if (ended.length === 0) return;
  for (const clean of cleaners) await clean(app, { tenantId, userId });
  if (await app.storage.users.find(userId)) await app.storage.formerMembers.note(tenantId, userId, app.now());
  for (const row of ended) {
    await publishEvents(app, memberships, row._id, row.outbox ?? []);
    await memberships.remove(row._id);
  }
}

/** Cleans up after ended memberships whose job was lost. */
export async function cleanUpAfterMembers(app: App, before: Date): Promise<void> {
  const { memberships } = app.storage;
  await repairEach(
    app,
    batch,
    (limit) => memberships.listRemoved(undefined, before, limit),
    (row) => cleanUpAfterMember(app, row),
  );
}
