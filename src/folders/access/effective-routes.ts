/** The access of each member and token to a folder, now and after a planned change, over HTTP. */
import {
  EffectiveAccessPayload,
  MemberFolderPayload,
  PlannedAccessPayload,
  TeamFolderPayload,
} from "../../../contract/payloads/organizations/folders.ts";
import type { App } from "../../app.ts";
import { pageByPath } from "../../http/request/cursor.ts";
import { Page, routesOf, type Route } from "../../http/route.ts";
import { ListQuery, MemberParams, MemberQuery, TeamParams } from "../../orgs/schema.ts";
import { FolderParams, PlanFolderAccess, TeamFoldersQuery } from "../schema.ts";
import { listFolderAccess, planFolderAccess } from "./effective.ts";
import { listMemberFolders } from "./member-folders.ts";
import { presentAccess, presentPlanned } from "./present-access.ts";
import { listTeamFolders } from "./team-folders.ts";

const route = routesOf({ tag: "Folders", auth: "required" });

export function effectiveRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/folders/:folder/effective",
      id: "listFolderAccess",
      summary:
        "List the members and tokens of the organization with their access to a folder, and why they have it",
      params: FolderParams,
      query: MemberQuery,
      data: EffectiveAccessPayload,
      page: true,
      budget: "search",
      async handle({ actor, params, query }) {
        const { tree, page } = await listFolderAccess(app, actor, params.folder, query);
        return new Page(await presentAccess(app, { tree, actor }, page.items), page.nextCursor);
      },
    }),
    route({
      method: "post",
      path: "/api/folders/:folder/effective",
      id: "planFolderAccess",
      failures: ["limit_reached", "managed_folder"],
      summary: "List what each member and token could do before and after a change of a folder's access",
      params: FolderParams,
      query: MemberQuery,
      body: PlanFolderAccess,
      data: PlannedAccessPayload,
      page: true,
      budget: "search",
      async handle({ actor, params, query, body }) {
        const page = await planFolderAccess(app, actor, params.folder, body, query);
        return new Page(page.items.map(presentPlanned), page.nextCursor);
      },
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/members/:userId/folders",
      id: "listMemberFolders",
      summary: "List what a member may do in restricted folders and in all others, and why",
      tag: "Members",
      params: MemberParams,
      query: ListQuery,
      data: MemberFolderPayload,
      page: true,
      budget: "search",
      async handle({ actor, params, query }) {
        const all = await listMemberFolders(app, actor, params.tenant, params.userId);
        return pageByPath(all, ({ folder }) => folder?.path ?? "", query);
      },
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/teams/:id/folders",
      id: "listTeamFolders",
      summary: "List the folders on which a team has a grant, by path",
      tag: "Teams",
      params: TeamParams,
      query: TeamFoldersQuery,
      data: TeamFolderPayload,
      page: true,
      budget: "search",
      async handle({ actor, params, query }) {
        const all = await listTeamFolders(app, actor, params.tenant, params.id);
        return pageByPath(all, ({ folder }) => folder.path, query);
      },
    }),
  ];
}
