/** Names of the teams and custom roles that records refer to by id, read together for a page of them. */
import { isId } from "../../storage/database.ts";
import type { App } from "../app.ts";

interface Refers {
  role?: string;
  roleIds?: readonly string[];
  teamIds?: readonly string[];
}

/** Names by id; a built-in role has its name as id, and what was deleted has none. */
export async function loadNames(
  app: App,
  tenantId: string,
  records: readonly Refers[],
): Promise<ReadonlyMap<string, string>> {
  const teamIds = [...new Set(records.flatMap((record) => record.teamIds ?? []))];
  const roles = records.flatMap(({ role, roleIds = [] }) =>
    role === undefined ? roleIds : [role, ...roleIds],
  );
  const roleIds = [...new Set(roles.filter(isId))];
  const [teams, custom] = await Promise.all([
    teamIds.length > 0 ? app.storage.teams.listByIds(teamIds) : [],
    roleIds.length > 0 ? app.storage.roles.listByIds(roleIds) : [],
  ]);
  const own = [...teams, ...custom].filter((one) => one.tenantId === tenantId);
  return new Map(own.map(({ _id, name }) => [_id, name]));
}
