import { MemberPayload, memberPageFields } from "../../../contract/payloads/organizations/organizations.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { presentMember } from "../present.ts";
import { ChangeMember, MemberParams, MemberQuery, TenantParams } from "../schema.ts";
import { removeMember } from "./leave.ts";
import { changeMember, listMembers, readMember } from "./members.ts";

const route = routesOf({ tag: "Members", auth: "required" });

export function memberRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/members",
      id: "listMembers",
      summary: "List the members of an organization, by user name",
      params: TenantParams,
      query: MemberQuery,
      data: MemberPayload,
      page: true,
      pageFields: memberPageFields,
      budget: "search",
      handle: async ({ actor, params, query }) =>
        (await listMembers(app, actor, params.tenant, query)).map(presentMember),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/members/:userId",
      id: "getMember",
      summary: "Read a member",
      params: MemberParams,
      data: MemberPayload,
      handle: async ({ actor, params }) =>
        presentMember(await readMember(app, actor, params.tenant, params.userId)),
    }),
    route({
      method: "patch",
      path: "/api/tenants/:tenant/members/:userId",
      id: "updateMember",
      failures: ["conflict", "last_owner"],
      summary: "Give a member another role",
      params: MemberParams,
      body: ChangeMember,
      data: MemberPayload,
      handle: async ({ actor, params, body }) =>
        presentMember(await changeMember(app, actor, params.tenant, params.userId, body)),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/members/:userId",
      id: "removeMember",
      failures: ["conflict", "last_owner"],
      summary: "Remove a member; with your own id, leave",
      params: MemberParams,
      data: null,
      handle: ({ actor, params }) => removeMember(app, actor, params.tenant, params.userId),
    }),
  ];
}
