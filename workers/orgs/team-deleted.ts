/** Takes a deleted team out of everything that names it, in every room, then its own document. Each part may run twice. */
import type { App } from "../../src/app.ts";
import { carryEvents } from "../../src/audit/events.ts";
import { revokeGrantsOf } from "../../src/folders/access.ts";
import { mendEach } from "../upkeep/mend-each.ts";

type Cleaner = (app: App, team: { tenantId: string; teamId: string }) => Promise<unknown>;

const cleaners: readonly Cleaner[] = [
  (app, { tenantId, teamId }) => app.storage.memberships.dropTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => app.storage.invitations.dropTeam(tenantId, teamId),
  (app, { tenantId, teamId }) => revokeGrantsOf(app, tenantId, teamId),
];

const batch = 100;

export async function cleanUpAfterTeam(app: App, { teamId }: { teamId: string }): Promise<void> {
  const { teams } = app.storage;
  const team = await teams.findRemoved(teamId);
  if (!team) return;
  for (const clean of cleaners) await clean(app, { tenantId: team.tenantId, teamId });
  await carryEvents(app, teams, teamId, team.outbox ?? []);
  await teams.remove(teamId);
}

/** The same for those whose job was lost. */
export async function cleanUpAfterTeams(app: App, before: Date): Promise<void> {
  const { teams } = app.storage;
  await mendEach(
    app,
    batch,
    (limit) => teams.listRemoved(before, limit),
    (team) => cleanUpAfterTeam(app, { teamId: team._id }),
  );
}
