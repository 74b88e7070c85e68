/** Removes every reference to a deleted team, then the team's own document. Each part may run twice. */
import type { App } from "../../src/app.ts";
import { publishEvents } from "../../src/audit/events.ts";
import { revokeGrantsOf } from "../../src/folders/access/access.ts";
import { dropTeam } from "../../src/folders/review/rules.ts";
import { repairEach } from "../maintenance/repair-each.ts";

type Cleaner = (app: App, team: { tenantId: string; teamId: string }) => Promise<unknown>;

const cleaners: readonly Cleaner[] = [
  (app, { teamId }) => app.storage.scimGroups.remove(teamId),
  (app, { tenantId, teamId }) => app.storage.scimUsers.dropTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => app.storage.memberships.dropTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => app.storage.invitations.dropTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => app.storage.skillCollections.dropTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => app.storage.tenantSkills.dropOwnerTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => dropTeam(app, tenantId, teamId),
  (app, { tenantId, teamId }) => revokeGrantsOf(app, tenantId, teamId),
];

const batch = 100;

export async function cleanUpAfterTeam(app: App, { teamId }: { teamId: string }): Promise<void> {
  const { teams } = app.storage;
  const team = await teams.findRemoved(teamId);
  if (!team) return;
  for (const clean of cleaners) await clean(app, { tenantId: team.tenantId, teamId });
  await publishEvents(app, teams, teamId, team.outbox ?? []);
  await teams.remove(teamId);
}

/** Cleans up after deleted teams whose job was lost. */
export async function cleanUpAfterTeams(app: App, before: Date): Promise<void> {
  const { teams } = app.storage;
  await repairEach(
    app,
    batch,
    (limit) => teams.listRemoved(before, limit),
    (team) => cleanUpAfterTeam(app, { teamId: team._id }),
  );
}
