import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import {
  MemberPayload,
  memberPageFields,
  TeamPayload,
} from "../../../contract/payloads/organizations/organizations.ts";
import type { TeamDoc } from "../../../storage/organizations/teams.ts";
import type { App } from "../../app.ts";
import { Page, routesOf, type Route } from "../../http/route.ts";
import { loadNames } from "../names.ts";
import { presentMember, presentTeam } from "../present.ts";
import {
  CreateTeam,
  ListQuery,
  MemberQuery,
  TeamMemberParams,
  TeamParams,
  TenantParams,
  UpdateTeam,
} from "../schema.ts";
import { addTeamMember, listTeamMembers, removeTeamMember } from "./team-members.ts";
import { createTeam, deleteTeam, listTeams, readTeam, updateTeam } from "./teams.ts";

const route = routesOf({ tag: "Teams", auth: "required" });

const countConcurrency = 16;

/** Teams of one organization, with the names of their roles and the numbers of their members. */
async function presentAll(app: App, teams: readonly TeamDoc[]): Promise<TeamPayload[]> {
  const tenantId = teams[0]?.tenantId ?? "";
  const [names, counts] = await Promise.all([
    loadNames(app, tenantId, teams),
    mapLimit(teams, countConcurrency, ({ _id: teamId }) =>
      app.storage.memberships.countListed(tenantId, { teamId }),
    ),
  ]);
  return teams.map((team, index) => presentTeam(team, names, counts[index]!));
}

const presentOne = async (app: App, team: TeamDoc): Promise<TeamPayload> =>
  (await presentAll(app, [team]))[0]!;

export function teamRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/teams",
      id: "listTeams",
      summary: "List the teams of an organization, by name",
      params: TenantParams,
      query: ListQuery,
      data: TeamPayload,
      page: true,
      async handle({ actor, params, query }) {
        const page = await listTeams(app, actor, params.tenant, query);
        return new Page(await presentAll(app, page.items), page.nextCursor);
      },
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/teams",
      id: "createTeam",
      failures: ["already_exists", "limit_reached"],
      summary: "Create a team; its roles add to those of its members",
      params: TenantParams,
      body: CreateTeam,
      status: 201,
      data: TeamPayload,
      handle: async ({ actor, params, body }) =>
        presentOne(app, await createTeam(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }, { id }: TeamPayload) => readTeam(app, actor, params.tenant, id),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/teams/:id",
      id: "getTeam",
      summary: "Read a team",
      params: TeamParams,
      data: TeamPayload,
      handle: async ({ actor, params }) =>
        presentOne(app, await readTeam(app, actor, params.tenant, params.id)),
    }),
    route({
      method: "patch",
      path: "/api/tenants/:tenant/teams/:id",
      id: "updateTeam",
      failures: ["already_exists", "conflict"],
      summary: "Change a team's name, description or roles",
      params: TeamParams,
      body: UpdateTeam,
      data: TeamPayload,
      handle: async ({ actor, params, body }) =>
        presentOne(app, await updateTeam(app, actor, params.tenant, params.id, body)),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/teams/:id",
      id: "deleteTeam",
      summary: "Delete a team, with what its members had by it",
      params: TeamParams,
      data: null,
      handle: ({ actor, params }) => deleteTeam(app, actor, params.tenant, params.id),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/teams/:id/members",
      id: "listTeamMembers",
      summary: "List who is in a team, by user name",
      params: TeamParams,
      query: MemberQuery,
      data: MemberPayload,
      page: true,
      pageFields: memberPageFields,
      budget: "search",
      handle: async ({ actor, params, query }) =>
        (await listTeamMembers(app, actor, params.tenant, params.id, query)).map(presentMember),
    }),
    route({
      method: "put",
      path: "/api/tenants/:tenant/teams/:id/members/:userId",
      id: "addTeamMember",
      failures: ["conflict", "limit_reached"],
      summary: "Put a member into a team",
      params: TeamMemberParams,
      data: null,
      handle: ({ actor, params }) => addTeamMember(app, actor, params.tenant, params.id, params.userId),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/teams/:id/members/:userId",
      id: "removeTeamMember",
      failures: ["conflict", "limit_reached"],
      summary: "Take a member out of a team",
      params: TeamMemberParams,
      data: null,
      handle: ({ actor, params }) => removeTeamMember(app, actor, params.tenant, params.id, params.userId),
    }),
  ];
}
