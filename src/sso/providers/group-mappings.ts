/** Mappings from groups of a provider to teams. */
import type { SsoGroupMapping } from "../../../contract/payloads/accounts/sso.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { notFound } from "../../errors.ts";
import { updateRecord } from "../../orgs/named-records.ts";
import { permissionsOfTeams, requirePermissions, requireTeamAccess } from "../../orgs/permission-checks.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import type { PutGroupMappings } from "../schema.ts";
import { loadProvider } from "./load.ts";

type GroupMapping = SsoProviderDoc["groupMappings"][number];

export async function listMappings(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<SsoGroupMapping[]> {
  const { provider } = await loadProvider(app, actor, tenantRef, id);
  return present(app, provider);
}

/**
 * Replaces the mappings, which apply at the next sign-in of each person. The caller must have what the teams of added
 * mappings give, and the permissions of the teams of removed ones, as for adding and removing members. Throws
 * `not_found`, `forbidden`, `conflict` or `reauthentication_required`.
 */
export async function putMappings(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  { mappings }: PutGroupMappings,
): Promise<SsoGroupMapping[]> {
  const { tenant, provider } = await loadProvider(app, actor, tenantRef, id);
  requireRecentVerification(app, requireUser(actor), "change single sign-on", tenant._id);
  const teamIds = [...new Set(mappings.map(({ teamId }) => teamId))];
  const teams = await app.storage.teams.listByIds(teamIds);
  for (const teamId of teamIds)
    if (!teams.some((team) => team._id === teamId && team.tenantId === tenant._id))
      throw notFound("team", teamId);
  const added = teamsOfNew(mappings, provider.groupMappings);
  await requireTeamAccess(app, actor, tenant._id, added, "let a provider add people to this team");
  const removed = await app.storage.teams.listByIds(teamsOfNew(provider.groupMappings, mappings));
  const left = removed.filter(({ tenantId }) => tenantId === tenant._id).map(({ _id }) => _id);
  const permissions = await permissionsOfTeams(app, tenant._id, left);
  requirePermissions(actor, tenant._id, permissions, "let a provider remove people from this team");
  const event = makeEvent(app, actor, "sso.group_mappings_updated", {
    tenantId: tenant._id,
    resourceType: "provider",
    resourceId: id,
    metadata: { name: provider.name, mappings },
  });
  const fields = { groupMappings: mappings };
  const updated = await updateRecord(app, "provider", app.storage.ssoProviders, provider, fields, event);
  return present(app, updated);
}

/** Teams of the mappings that are not among the others. */
function teamsOfNew(mappings: readonly GroupMapping[], others: readonly GroupMapping[]): string[] {
  const known = new Set(others.map(({ group, teamId }) => `${teamId} ${group}`));
  return [
    ...new Set(mappings.flatMap(({ group, teamId }) => (known.has(`${teamId} ${group}`) ? [] : [teamId]))),
  ];
}

async function present(app: App, { tenantId, groupMappings }: SsoProviderDoc): Promise<SsoGroupMapping[]> {
  const teams = await app.storage.teams.listByIds([...new Set(groupMappings.map(({ teamId }) => teamId))]);
  const names = new Map(
    teams.filter((team) => team.tenantId === tenantId).map((team) => [team._id, team.name]),
  );
  return groupMappings.map(({ group, teamId }) => ({ group, teamId, team: names.get(teamId) ?? null }));
}
