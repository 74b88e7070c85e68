/** What a connection's syncs did, which skills they met changed on both sides, and asking for one by hand. */
import { z } from "zod";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { SyncBaseDoc } from "../../storage/sync-bases.ts";
import type { ProposalDoc } from "../../storage/sync-proposals.ts";
import type { SyncConflictDoc } from "../../storage/sync-conflicts.ts";
import type { SyncRunDoc } from "../../storage/sync-runs.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { carryEvents, makeEvent } from "../audit/events.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { requestSync } from "../orgs/request-sync.ts";
import { loadTenant } from "../orgs/service.ts";
import { loadConnection, notConnected } from "./load.ts";

const problemsShown = 100;

interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

export interface SyncState {
  connection: ConnectionDoc | null;
  synced: number;
  problems: SyncBaseDoc[];
  proposal: ProposalDoc | null;
}

/** The connection, and the skills that it could not carry over. Its readers see skills in restricted folders too. */
export async function readSyncState(app: App, actor: Actor, tenantRef: string): Promise<SyncState> {
  const tenant = await loadTenant(app, actor, tenantRef, "githubSync:read");
  const connection = await app.storage.connections.findOfTenant(tenant._id);
  if (!connection) return { connection, synced: 0, problems: [], proposal: null };
  const [synced, problems, proposal] = await Promise.all([
    app.storage.syncBases.count(connection._id),
    app.storage.syncBases.listProblems(connection._id, problemsShown),
    connection.mode === "pull_request" ? app.storage.syncProposals.find(connection._id) : null,
  ]);
  return { connection, synced, problems, proposal };
}

/** Asks for a sync that also puts back what is missing in the repository. Answers the connection with the request in it. */
export async function runByHand(app: App, actor: Actor, tenantRef: string): Promise<ConnectionDoc> {
  const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
  const { _id: id, host, branch } = connection;
  const event = makeEvent(app, actor, "repohost_sync.manual_sync", {
    tenantId: tenant._id,
    resourceType: "repository",
    resourceId: id,
    metadata: { host: host.kind, repository: host.fullName, branch },
  });
  if ((await requestSync(app, { id }, { full: true, events: [event] })) === undefined)
    throw notConnected(tenant);
  app.background("settle audit events", () => carryEvents(app, app.storage.connections, id, [event]));
  return (await app.storage.connections.find(id)) ?? connection;
}

/** A page of its syncs, the newest first. */
export async function listRuns(
  app: App,
  actor: Actor,
  tenantRef: string,
  { limit, cursor }: PageQuery,
): Promise<{ items: SyncRunDoc[]; nextCursor: string | null }> {
  const { connection } = await loadConnection(app, actor, tenantRef, "githubSync:read");
  const before = decodeCursor(cursor, z.tuple([z.string().max(64)]))?.[0];
  const found = await app.storage.syncRuns.list({ connectionId: connection._id, before, limit: limit + 1 });
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? encodeCursor([items.at(-1)!._id]) : null };
}

/** A page of its conflicts, the newest first, with the skills as far as they are there yet. */
export async function listConflicts(
  app: App,
  actor: Actor,
  tenantRef: string,
  { limit, cursor }: PageQuery,
): Promise<{ items: [SyncConflictDoc, SkillDoc | undefined][]; nextCursor: string | null }> {
  const { connection } = await loadConnection(app, actor, tenantRef, "githubSync:read");
  const read = decodeCursor(cursor, z.tuple([z.number().int().min(0).max(8.64e15), z.string().max(100)]));
  const before = read && { at: new Date(read[0]), id: read[1] };
  const found = await app.storage.syncConflicts.list({
    connectionId: connection._id,
    before,
    limit: limit + 1,
  });
  const rows = found.slice(0, limit);
  const skills = await app.storage.skills.listByIds([...new Set(rows.map(({ skillId }) => skillId))]);
  const byId = new Map(skills.map((skill) => [skill._id, skill]));
  const last = rows.at(-1);
  return {
    items: rows.map((row) => [row, byId.get(row.skillId)]),
    nextCursor: found.length > limit && last ? encodeCursor([last.at.getTime(), last._id]) : null,
  };
}
