/** Personal workspaces of an organization over HTTP; their content is folders and skills like any other. */
import {
  ReassignedWorkspacePayload,
  RepairedWorkspacesPayload,
  RetriedWorkspacesPayload,
  WorkspacePayload,
  WorkspaceSettingsPayload,
} from "../../contract/payloads/organizations/workspaces.ts";
import type { App } from "../app.ts";
import { UpdateFolder } from "../folders/schema.ts";
import { Page, routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { deleteWorkspace, reassignWorkspace } from "./leave.ts";
import { listWorkspaces, readOverview } from "./list.ts";
import { presentOverview, presentWorkspace } from "./present.ts";
import { repairWorkspaces } from "./repair.ts";
import {
  EnableWorkspaces,
  NoFields,
  ReassignWorkspace,
  RetryWorkspaces,
  WorkspaceParams,
  WorkspaceQuery,
} from "./schema.ts";
import { disableWorkspaces, enableWorkspaces, moveNamespace, retryWorkspaces } from "./settings.ts";

const route = routesOf({ tag: "Personal workspaces", auth: "required" });
const base = "/api/tenants/:tenant/personal-workspaces";

export function workspaceRoutes(app: App): Route[] {
  return [...settingsRoutes(app), ...repairRoutes(app), ...memberRoutes(app)];
}

function settingsRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: base,
      id: "getWorkspaces",
      summary: "Read whether personal workspaces are enabled, and where your own is",
      params: TenantParams,
      data: WorkspaceSettingsPayload,
      handle: async ({ actor, params }) => presentOverview(await readOverview(app, actor, params.tenant)),
    }),
    route({
      method: "post",
      path: `${base}/enable`,
      id: "enableWorkspaces",
      failures: ["already_exists", "conflict", "limit_reached", "refused"],
      summary: "Enable personal workspaces, and create one for every member",
      params: TenantParams,
      body: EnableWorkspaces,
      data: WorkspaceSettingsPayload,
      async handle({ actor, params, body }) {
        const tenantId = await enableWorkspaces(app, actor, params.tenant, body);
        return presentOverview(await readOverview(app, actor, tenantId));
      },
    }),
    route({
      method: "post",
      path: `${base}/disable`,
      id: "disableWorkspaces",
      summary: "Disable personal workspaces; their content stays",
      params: TenantParams,
      body: NoFields,
      data: WorkspaceSettingsPayload,
      async handle({ actor, params }) {
        const tenantId = await disableWorkspaces(app, actor, params.tenant);
        return presentOverview(await readOverview(app, actor, tenantId));
      },
    }),
    route({
      method: "post",
      path: `${base}/move`,
      id: "moveWorkspaces",
      failures: ["already_exists", "conflict", "limit_reached", "managed_folder", "refused"],
      summary: "Rename or move the folder that contains all workspaces",
      params: TenantParams,
      body: UpdateFolder,
      data: WorkspaceSettingsPayload,
      async handle({ actor, params, body }) {
        const tenantId = await moveNamespace(app, actor, params.tenant, body);
        return presentOverview(await readOverview(app, actor, tenantId));
      },
    }),
  ];
}

function repairRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: `${base}/retry`,
      id: "retryWorkspaces",
      failures: ["refused"],
      summary: "Retry failed workspaces, of one member or of all",
      params: TenantParams,
      body: RetryWorkspaces,
      data: RetriedWorkspacesPayload,
      handle: async ({ actor, params, body }) => ({
        scheduled: await retryWorkspaces(app, actor, params.tenant, body),
      }),
    }),
    route({
      method: "post",
      path: `${base}/repair`,
      id: "repairWorkspaces",
      failures: ["already_exists", "conflict", "limit_reached", "refused"],
      summary: "Check every workspace, and repair its flaws",
      params: TenantParams,
      body: NoFields,
      data: RepairedWorkspacesPayload,
      budget: "export",
      handle: ({ actor, params }) => repairWorkspaces(app, actor, params.tenant),
    }),
  ];
}

function memberRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: `${base}/members`,
      id: "listWorkspaces",
      summary: "List the members' workspaces, and those of members who have left",
      params: TenantParams,
      query: WorkspaceQuery,
      data: WorkspacePayload,
      page: true,
      async handle({ actor, params, query }) {
        const page = await listWorkspaces(app, actor, params.tenant, query);
        return new Page(page.items.map(presentWorkspace), page.nextCursor);
      },
    }),
    route({
      method: "post",
      path: `${base}/reassign`,
      id: "reassignWorkspace",
      failures: ["already_exists", "conflict", "limit_reached", "refused"],
      summary: "Reassign the workspace of a former member",
      params: TenantParams,
      body: ReassignWorkspace,
      data: ReassignedWorkspacePayload,
      async handle({ actor, params, body }) {
        const { folderId, path } = await reassignWorkspace(app, actor, params.tenant, body);
        return { folderId, path };
      },
    }),
    route({
      method: "delete",
      path: `${base}/members/:userId`,
      id: "deleteWorkspace",
      failures: ["conflict", "refused"],
      summary: "Delete the workspace of a former member, with its skills",
      params: WorkspaceParams,
      data: null,
      handle: ({ actor, params }) => deleteWorkspace(app, actor, params.tenant, params.userId),
    }),
  ];
}
