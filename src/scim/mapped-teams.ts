/** Existing teams whose members SCIM manages, as groups of the same names. */
import { limits } from "../../contract/limits.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { ScimGroupDoc } from "../../storage/scim/groups.ts";
import type { ScimProviderDoc } from "../../storage/scim/providers.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { foldName } from "../users/schema.ts";
import { loadOwned, loadProvider, providerEvent } from "./provider.ts";

/**
 * Puts an existing team under SCIM: the identity provider finds it as a group by its name, and changes which of the
 * users that it has provisioned are in it. Only owners do this, since a team may give permissions.
 */
export async function manageTeam(app: App, actor: Actor, tenantRef: string, teamId: string): Promise<void> {
  const { tenant } = await loadOwned(app, actor, tenantRef);
  const provider = await loadProvider(app, tenant);
  const team = isId(teamId) ? await app.storage.teams.find(tenant._id, teamId) : null;
  if (!team) throw notFound("team", teamId);
  const now = app.now();
  const members = await app.storage.memberships.list({
    tenantId: tenant._id,
    teamId,
    limit: limits.membersPerOrganization,
  });
  const memberIds = await app.storage.scimUsers.listIdsOfAccounts(
    tenant._id,
    members.map(({ userId }) => userId),
  );
  const group: ScimGroupDoc = {
    _id: team._id,
    tenantId: tenant._id,
    displayName: team.name,
    displayNameKey: foldName(team.name),
    memberIds,
    memberCount: memberIds.length,
    isMapped: true,
    revision: 1,
    present: true,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await app.storage.scimGroups.insert(group);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new ServiceError("conflict", `SCIM manages a group "${team.name}" already.`, { kind: "provider" });
  }
  await app.storage.scimUsers.followGroup(tenant._id, teamId, memberIds, [], now);
  await noteTeam(app, actor, provider, { change: "team added", teamId, team: team.name });
}

/** Ends the management of a team that `manageTeam` has begun: its members stay as they are. */
export async function releaseTeam(app: App, actor: Actor, tenantRef: string, teamId: string): Promise<void> {
  const { tenant } = await loadOwned(app, actor, tenantRef);
  const { scimGroups, scimUsers } = app.storage;
  const group = isId(teamId) ? await scimGroups.findWithoutMembers(tenant._id, teamId) : null;
  if (!group?.isMapped) throw notFound("team", teamId);
  await scimGroups.remove(teamId);
  await scimUsers.dropTeam(tenant._id, teamId);
  const provider = await app.storage.scimProviders.findOfTenant(tenant._id);
  if (provider)
    await noteTeam(app, actor, provider, { change: "team released", teamId, team: group.displayName });
}

async function noteTeam(
  app: App,
  actor: Actor,
  { _id, tenantId }: ScimProviderDoc,
  metadata: Record<string, unknown>,
): Promise<void> {
  const event = providerEvent(app, actor, "scim.provider_updated", tenantId, _id, metadata);
  await app.storage.scimProviders.change(_id, { events: [event] });
  flushEvents(app, app.storage.scimProviders, _id, [event]);
}
