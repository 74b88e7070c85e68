/** Teams of a member from the groups of a provider: only mapped teams change, and none while groups are not known. */
import { limits } from "../../../contract/limits.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";

export interface TeamChange {
  added: string[];
  removed: string[];
}

/** The change of teams that groups cause. Pure. `teamIds` are the teams that exist. */
export function planTeams(
  groups: readonly string[] | null,
  mappings: readonly { group: string; teamId: string }[],
  member: Pick<MembershipDoc, "teamIds">,
  teamIds: ReadonlySet<string>,
): TeamChange {
  if (groups === null) return { added: [], removed: [] };
  const usable = mappings.filter(({ teamId }) => teamIds.has(teamId));
  const sent = new Set(groups);
  const wanted = new Set(usable.filter(({ group }) => sent.has(group)).map(({ teamId }) => teamId));
  const mapped = new Set(usable.map(({ teamId }) => teamId));
  const removed = member.teamIds.filter((id) => mapped.has(id) && !wanted.has(id));
  const room = limits.teamsPerMember - (member.teamIds.length - removed.length);
  const added = [...wanted].filter((id) => !member.teamIds.includes(id)).slice(0, Math.max(0, room));
  return { added, removed };
}

/** The groups that decide about teams; null if no team changes. */
function decidingGroups(
  { groups, groupsProblem }: Pick<SsoSubject, "groups" | "groupsProblem">,
  { absentGroups }: SsoProviderDoc,
): readonly string[] | null {
  if (groupsProblem !== undefined) return null;
  return groups ?? (absentGroups === "none" ? [] : null);
}

/** The change of the teams of a member that a sign-in causes, with the names of the changed teams. */
export async function teamChange(
  app: App,
  provider: SsoProviderDoc,
  subject: Pick<SsoSubject, "groups" | "groupsProblem">,
  member: Pick<MembershipDoc, "teamIds">,
): Promise<TeamChange & { names: Map<string, string> }> {
  const groups = decidingGroups(subject, provider);
  if (groups === null || provider.groupMappings.length === 0)
    return { added: [], removed: [], names: new Map() };
  const mapped = [...new Set(provider.groupMappings.map(({ teamId }) => teamId))];
  const teams = (await app.storage.teams.listByIds(mapped)).filter(
    ({ tenantId }) => tenantId === provider.tenantId,
  );
  const names = new Map(teams.map((team) => [team._id, team.name]));
  return { ...planTeams(groups, provider.groupMappings, member, new Set(names.keys())), names };
}
