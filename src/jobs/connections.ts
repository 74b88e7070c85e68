/** Connections of all organizations for the service's administrators: their state, without their content. */
import { z } from "zod";
import type { AdminConnectionPayload } from "../../contract/payloads/service/jobs.ts";
import { syncStatuses } from "../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../../storage/connections/connections.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { SyncProblem } from "../../storage/sync/problem.ts";
import type { App } from "../app.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { lagOf } from "../sync/report/present.ts";

/** A page of connections; those with problems come first. */
export async function listAllConnections(
  app: App,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<AdminConnectionPayload>> {
  const read = decodeCursor(cursor, z.tuple([z.enum(syncStatuses), z.string().max(24)]));
  const after = read && { status: read[0], _id: read[1] };
  const found = await app.storage.connections.list(after, limit + 1);
  const page = pageOf(found, limit, (last) => [last.status, last._id]);
  const tenants = await app.storage.tenants.listByIds(page.items.map(({ tenantId }) => tenantId));
  const byId = new Map(tenants.map((tenant) => [tenant._id, tenant]));
  return page.map((connection) => present(app, connection, byId.get(connection.tenantId)));
}

function present(app: App, connection: ConnectionDoc, tenant: TenantDoc | undefined): AdminConnectionPayload {
  const { problem, lastProblem = problem } = connection;
  return {
    id: connection._id,
    tenantId: connection.tenantId,
    organization: tenant ? { slug: tenant.slug, name: tenant.name } : null,
    host: connection.host.kind,
    repository: connection.host.fullName,
    url: /^https?:\/\//.test(connection.host.url) ? connection.host.url : null,
    branch: connection.branch,
    status: connection.status,
    mode: connection.mode,
    waiting: connection.wanted > connection.done,
    waitingSince: connection.wantedSince?.toISOString() ?? null,
    lastCommit: connection.lastRemoteOid ?? null,
    lastSyncAt: connection.lastSyncAt?.toISOString() ?? null,
    lagMs: lagOf(app, connection),
    lastLagMs: connection.lastLagMs === undefined ? null : Math.round(connection.lastLagMs),
    failures: connection.failures,
    problem: presentProblem(problem),
    lastProblem: presentProblem(lastProblem),
  };
}

function presentProblem(problem: SyncProblem | undefined): AdminConnectionPayload["problem"] {
  if (!problem) return null;
  const { code, message, at } = problem;
  return { code, message: message.slice(0, 500), at: at.toISOString() };
}
