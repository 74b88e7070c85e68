import { z } from "zod";
import { SyncConflictPayload } from "../../contract/payloads/sync-conflicts.ts";
import {
  ConnectionPayload,
  DisconnectedPayload,
  RepositorySyncPayload,
  SyncPlanPayload,
  SyncRunPayload,
} from "../../contract/payloads/sync.ts";
import type { App } from "../app.ts";
import { Page, Reply, routesOf, type Route } from "../http/route.ts";
import { connectRepository } from "./connection/connect.ts";
import { takeOverConnection } from "./connection/connecting-member.ts";
import { disconnectRepository } from "./connection/disconnect.ts";
import { loadConnection } from "./connection/load.ts";
import { offeredHosts } from "./connection/open-host.ts";
import {
  ConflictParams,
  ConflictQuery,
  ConnectRepository,
  SyncListQuery,
  TenantParams,
  UpdateConnection,
} from "./connection/schema.ts";
import { updateConnection } from "./connection/update-connection.ts";
import { planConnected, planDraft } from "./preview/plan.ts";
import { listConflicts, markConflict } from "./report/conflicts.ts";
import { listRuns, readSyncState, runByHand } from "./report/history.ts";
import { presentConflict, presentConnection, presentRun, presentSyncState } from "./report/present.ts";
import { receiveDelivery } from "./triggers/webhook.ts";

const route = routesOf({ tag: "Repository sync", auth: "required" });
const path = "/api/tenants/:tenant/repo-sync";

export function syncRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path,
      id: "getSync",
      summary: "The repository that an organization is connected to, and the state of its sync",
      params: TenantParams,
      data: RepositorySyncPayload,
      handle: async ({ actor, params }) =>
        presentSyncState(app, await readSyncState(app, actor, params.tenant), offeredHosts(app)),
    }),
    route({
      method: "post",
      path,
      id: "connectSync",
      failures: ["refused"],
      summary: "Connect a repository and branch, and sync it",
      params: TenantParams,
      body: ConnectRepository,
      status: 201,
      data: ConnectionPayload,
      budget: "export",
      handle: async ({ actor, params, body }) =>
        presentConnection(app, await connectRepository(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }) => loadConnection(app, actor, params.tenant, "githubSync:read"),
    }),
    route({
      method: "patch",
      path,
      id: "updateSync",
      summary: "Change settings of the connection, and sync everything",
      params: TenantParams,
      body: UpdateConnection,
      data: ConnectionPayload,
      handle: async ({ actor, params, body }) =>
        presentConnection(app, await updateConnection(app, actor, params.tenant, body)),
    }),
    route({
      method: "delete",
      path,
      id: "disconnectSync",
      failures: ["refused"],
      summary: "Disconnect the repository; its files stay. Nothing reaches its host after the response",
      params: TenantParams,
      data: DisconnectedPayload,
      handle: ({ actor, params }) => disconnectRepository(app, actor, params.tenant),
    }),
    route({
      method: "post",
      path: `${path}/run`,
      id: "runSync",
      summary: "Import pending edits, then restore all skills in the repository",
      params: TenantParams,
      data: ConnectionPayload,
      handle: async ({ actor, params }) => presentConnection(app, await runByHand(app, actor, params.tenant)),
    }),
    route({
      method: "post",
      path: `${path}/takeover`,
      id: "takeOverSync",
      summary: "Take over the connection as the author of imported versions, and sync everything",
      params: TenantParams,
      data: ConnectionPayload,
      handle: async ({ actor, params }) =>
        presentConnection(app, await takeOverConnection(app, actor, params.tenant)),
    }),
    route({
      method: "get",
      path: `${path}/plan`,
      id: "getSyncPlan",
      failures: ["conflict", "refused"],
      summary: "Plan of the next full sync: what it would write and create",
      params: TenantParams,
      data: SyncPlanPayload,
      budget: "export",
      handle: ({ actor, params }) => planConnected(app, actor, params.tenant),
    }),
    route({
      method: "post",
      path: `${path}/plan`,
      id: "planSync",
      failures: ["conflict", "refused"],
      summary: "Plan of a connection: what it would write and create; nothing is stored",
      params: TenantParams,
      body: ConnectRepository,
      data: SyncPlanPayload,
      budget: "export",
      handle: ({ actor, params, body }) => planDraft(app, actor, params.tenant, body),
    }),
    route({
      method: "get",
      path: `${path}/history`,
      id: "listSyncHistory",
      summary: "Syncs that changed something or failed, newest first",
      params: TenantParams,
      query: SyncListQuery,
      data: SyncRunPayload,
      page: true,
      async handle({ actor, params, query }) {
        const { items, nextCursor } = await listRuns(app, actor, params.tenant, query);
        return new Page(items.map(presentRun), nextCursor);
      },
    }),
    ...conflictRoutes(app),
    route({
      method: "post",
      path: "/api/webhooks/github",
      id: "receiveGithub",
      summary:
        "Deliveries of GitHub's webhooks, authenticated by their signature; 202 if they concern no connection",
      auth: "optional",
      query: z.looseObject({ connection: z.string().max(64).optional() }),
      stream: true,
      cookieless: true,
      produces: "application/json",
      async handle({ actor, query, request }) {
        const intake = await receiveDelivery(app, actor, request, query.connection);
        const status = intake === "ignored" ? 202 : 200;
        return new Reply(JSON.stringify({ success: true }), { status, type: "application/json" });
      },
    }),
  ];
}

function conflictRoutes(app: App): Route[] {
  const mark = (method: "put" | "delete", id: string, summary: string) =>
    route({
      method,
      path: `${path}/conflicts/:conflict/seen`,
      id,
      summary,
      params: ConflictParams,
      data: SyncConflictPayload,
      handle: async ({ actor, params }) =>
        presentConflict(await markConflict(app, actor, params.tenant, params.conflict, method === "put")),
    });
  return [
    route({
      method: "get",
      path: `${path}/conflicts`,
      id: "listSyncConflicts",
      summary: "Skills that had changed on both sides, newest first",
      params: TenantParams,
      query: ConflictQuery,
      data: SyncConflictPayload,
      page: true,
      async handle({ actor, params, query }) {
        const { items, nextCursor } = await listConflicts(app, actor, params.tenant, query);
        return new Page(items.map(presentConflict), nextCursor);
      },
    }),
    mark("put", "markConflictSeen", "Mark a conflict as fine as it is"),
    mark("delete", "unmarkConflictSeen", "Remove that mark"),
  ];
}
