/** Owner teams: those that look after skills. Skills are shown with them and filtered by them; no right follows. */
import { isId } from "../../storage/database.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant } from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound } from "../errors.ts";
import { foldName } from "../users/schema.ts";

/** Teams by their ids. */
export type OwnerTeams = ReadonlyMap<string, { id: string; name: string }>;

/** The owner teams of skills that the caller reads as a member; one query, if any skill has one. */
export async function readOwnerTeams(app: App, skills: readonly SkillDoc[]): Promise<OwnerTeams> {
  const ids = new Set(skills.flatMap(({ ownerTeamId }) => ownerTeamId ?? []));
  const found = ids.size === 0 ? [] : await app.storage.teams.listByIds([...ids]);
  return new Map(found.map(({ _id: id, name }) => [id, { id, name }]));
}

export const ownerTeamOf = ({ ownerTeamId }: SkillDoc, teams: OwnerTeams | undefined) =>
  ownerTeamId === undefined ? undefined : teams?.get(ownerTeamId);

/**
 * Requires that a team can own a skill. Throws `not_found` for one that the organization doesn't have, and `forbidden`
 * for every team if the caller may not read its members and teams.
 */
export async function requireTeam(
  app: App,
  actor: Actor,
  { tenantId }: Pick<SkillDoc, "tenantId">,
  id: string,
): Promise<void> {
  const verdict = decideTenant(actor, "member:read", tenantId);
  if (verdict === "refused") throw forbidden("Choosing an owner team requires member: read.");
  const team = verdict === "allowed" && isId(id) ? await app.storage.teams.find(tenantId, id) : null;
  if (!team) throw notFound("team", id);
}

/** Takes the team away again if it was deleted while the skill was written. Throws `not_found` then. */
export async function confirmTeam(
  app: App,
  { tenantId }: Pick<SkillDoc, "tenantId">,
  id: string,
): Promise<void> {
  if (await app.storage.teams.find(tenantId, id)) return;
  await app.storage.tenantSkills.dropOwnerTeam(tenantId, id);
  throw notFound("team", id);
}

/** Ids of the teams of an id or a name in the given organizations; undefined without a reference. */
export function ownersNamed(
  app: App,
  tenantIds: string[],
  ref: string | undefined,
): Promise<string[]> | undefined {
  return ref === undefined ? undefined : app.storage.teams.listIdsNamed(tenantIds, ref, foldName(ref));
}
