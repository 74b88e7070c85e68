/**
 * What hung on a membership goes after it: every room that keeps something of a member names its cleaner here. Each may
 * run twice. Only when all are through does the ended membership go, and with it what keeps the person from joining again.
 */
import type { App } from "../../src/app.ts";
import { carryEvents } from "../../src/audit/events.ts";
import { revokeGrantsOf } from "../../src/folders/access.ts";
import { removeInstallsOfMember } from "../../src/skills/installs.ts";
import { keepWorkspace } from "../../src/workspaces/leave.ts";
import { mendEach } from "../upkeep/mend-each.ts";

type Cleaner = (app: App, member: { tenantId: string; userId: string }) => Promise<unknown>;

const cleaners: readonly Cleaner[] = [
  keepWorkspace,
  (app, { tenantId, userId }) => revokeGrantsOf(app, tenantId, userId),
  (app, { tenantId, userId }) => removeInstallsOfMember(app, tenantId, userId),
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
  for (const row of ended) {
    await carryEvents(app, memberships, row._id, row.outbox ?? []);
    await memberships.remove(row._id);
  }
}

/** The same for those whose job was lost. */
export async function cleanUpAfterMembers(app: App, before: Date): Promise<void> {
  const { memberships } = app.storage;
  await mendEach(
    app,
    batch,
    (limit) => memberships.listRemoved(undefined, before, limit),
    (row) => cleanUpAfterMember(app, row),
  );
}
