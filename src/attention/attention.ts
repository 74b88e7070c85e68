/** Everything that needs a person, as far as the caller may see it. Each kind is bounded. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { attentionKinds, type AttentionKind } from "../../contract/dashboard/lists.ts";
import type { AttentionItem, AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import { countText } from "../../contract/text/count-text.ts";
import type { Permission } from "../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../../storage/connections/connections.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant } from "../access/decide.ts";
import type { App } from "../app.ts";
import { levelOf, storageText } from "../orgs/storage/usage.ts";
import { disabledText } from "../orgs/webhooks/disable.ts";
import { visibleConflicts } from "../sync/report/conflicts.ts";
import { readSyncState } from "../sync/report/history.ts";
import { unreviewedErrors } from "./findings.ts";
import { expiringTokens, openInvitations, outdatedInstalls, waitingConnectors } from "./own.ts";
import { waitingReviews } from "./reviews.ts";
import { tenantOf, type Tenants } from "./tenants.ts";

const maxOfKind = 20;
/** Connections that are looked into at a time, and at most. */
const connectionConcurrency = 4;
const maxConnections = 20;
/** A shorter failure of an audit log's receiver needs no person. */
const maxFailureMs = 3_600_000;

/** `isPersonal`: also the caller's own tokens, connectors and invitations. */
export async function readAttention(
  app: App,
  actor: Actor,
  tenants: Tenants,
  { isPersonal }: { isPersonal: boolean },
): Promise<AttentionPayload> {
  const allowed = (permission: Permission) =>
    tenants.filter(({ tenantId }) => decideTenant(actor, permission, tenantId) === "allowed");
  const lists = await Promise.all([
    ofSyncs(app, actor, allowed("githubSync:read")),
    waitingReviews(app, actor, tenants, maxOfKind + 1),
    unreviewedErrors(app, actor, tenants, maxOfKind + 1),
    nearStorageLimit(app, allowed("organization:update")),
    failingReceivers(app, allowed("security:manage")),
    disabledWebhooks(app, allowed("security:manage")),
    failedWorkspaces(app, actor, tenants, allowed("personalWorkspace:manage")),
    expiringTokens(app, actor, allowed("apiToken:manage"), isPersonal, maxOfKind + 1),
    isPersonal ? waitingConnectors(app, actor, tenants, maxOfKind + 1) : [],
    isPersonal ? openInvitations(app, actor, maxOfKind + 1) : [],
    outdatedInstalls(app, actor, tenants, maxOfKind + 1),
  ]);
  return bounded(lists.flat());
}

function bounded(all: readonly AttentionItem[]): AttentionPayload {
  const truncated: AttentionKind[] = [];
  const items = attentionKinds.flatMap((kind) => {
    const ofKind = all.filter((item) => item.kind === kind);
    if (ofKind.length > maxOfKind) truncated.push(kind);
    return ofKind.slice(0, maxOfKind);
  });
  return { items, truncated };
}

async function ofSyncs(app: App, actor: Actor, tenants: Tenants): Promise<AttentionItem[]> {
  const ids = tenants.map(({ tenantId }) => tenantId);
  const connections = ids.length > 0 ? await app.storage.connections.listOfTenants(ids, maxConnections) : [];
  const found = await mapLimit(connections, connectionConcurrency, async (connection) => {
    const tenant = tenantOf(tenants, connection.tenantId);
    const [problems, conflicts] = await Promise.all([
      syncProblems(app, actor, connection, tenant),
      visibleConflicts(app, actor, connection.tenantId, { seen: false, limit: maxOfKind + 1 }),
    ]);
    return [
      ...problems,
      ...conflicts.map((row): AttentionItem => ({
        kind: "sync_conflict",
        tenant,
        id: row._id,
        label: row.path,
        message: `${row.path} had changed on both sides: the repository's content became the current version.`,
        at: row.at.toISOString(),
      })),
    ];
  });
  return found.flat();
}

async function syncProblems(
  app: App,
  actor: Actor,
  { _id, tenantId }: ConnectionDoc,
  tenant: AttentionItem["tenant"],
): Promise<AttentionItem[]> {
  const { connection, problems } = await readSyncState(app, actor, tenantId);
  if (!connection) return [];
  const of = { kind: "sync_problem", tenant, id: _id, label: connection.host.fullName } as const;
  const { problem, status } = connection;
  const isBroken = problem !== undefined && (status === "blocked" || status === "failing");
  const skipped = problems.length;
  return [
    ...(isBroken ? [{ ...of, message: problem.message, at: problem.at.toISOString() }] : []),
    ...(skipped > 0
      ? [
          {
            ...of,
            message: countText(skipped, "skill is not in sync.", "skills are not in sync."),
            at: problems[0]?.problem?.at.toISOString() ?? null,
          },
        ]
      : []),
  ];
}

async function nearStorageLimit(app: App, tenants: Tenants): Promise<AttentionItem[]> {
  if (tenants.length === 0) return [];
  const found = await app.storage.tenants.listByIds(tenants.map(({ tenantId }) => tenantId));
  return found.flatMap((tenant): AttentionItem[] => {
    const { storage, slug } = tenant;
    if (!storage || levelOf(app, tenant, storage.bytes) === "normal") return [];
    return [
      {
        kind: "storage_limit",
        tenant: tenantOf(tenants, tenant._id),
        id: tenant._id,
        label: slug,
        message: storageText(app, { ...tenant, storage }),
        at: storage.countedAt.toISOString(),
      },
    ];
  });
}

async function failingReceivers({ storage, now }: App, tenants: Tenants): Promise<AttentionItem[]> {
  const ids = tenants.map(({ tenantId }) => tenantId);
  const before = new Date(now().getTime() - maxFailureMs);
  const failing = ids.length > 0 ? await storage.auditForwardings.listFailing(ids, before) : [];
  return failing.map(({ _id, error, failingSince }): AttentionItem => {
    const tenant = tenantOf(tenants, _id);
    return {
      kind: "audit_forwarding",
      tenant,
      id: _id,
      label: tenant?.slug ?? _id,
      message: `The receiver of the audit log fails: ${error}`,
      at: failingSince?.toISOString() ?? null,
    };
  });
}

async function disabledWebhooks(app: App, tenants: Tenants): Promise<AttentionItem[]> {
  if (tenants.length === 0) return [];
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  const found = await app.storage.webhooks.listDisabled(tenantIds, maxOfKind + 1);
  return found.map((webhook) => ({
    kind: "webhook_disabled",
    tenant: tenantOf(tenants, webhook.tenantId),
    id: webhook._id,
    label: webhook.name,
    message: disabledText(webhook) ?? "",
    at: webhook.disabled?.at.toISOString() ?? null,
  }));
}

/** The caller's own workspaces, and those of others in organizations where the caller manages them. */
async function failedWorkspaces(
  app: App,
  actor: Actor,
  tenants: Tenants,
  managed: Tenants,
): Promise<AttentionItem[]> {
  const managedIds = managed.map(({ tenantId }) => tenantId);
  const ownIds = tenants.map(({ tenantId }) => tenantId).filter((id) => !managedIds.includes(id));
  const userId = actor.kind === "user" ? actor.userId : undefined;
  const rows = await app.storage.workspaces.listFailed(
    managedIds,
    { userId, tenantIds: ownIds },
    maxOfKind + 1,
  );
  const accounts = rows.length > 0 ? await app.storage.users.listByIds(rows.map((row) => row.userId)) : [];
  const byId = new Map(accounts.map((account) => [account._id, account.username]));
  return rows.map((row) => ({
    kind: "workspace_failed",
    tenant: tenantOf(tenants, row.tenantId),
    id: row.userId,
    label: byId.get(row.userId) ?? row.userId,
    message: row.error ?? "The personal workspace could not be created.",
    at: row.updatedAt.toISOString(),
  }));
}
