/** State of a connection and history of syncs, for their readers, and syncs requested by hand. */
import { z } from "zod";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { SyncBaseDoc } from "../../../storage/sync/bases.ts";
import type { SyncProblem } from "../../../storage/sync/problem.ts";
import type { ProposalDoc } from "../../../storage/sync/proposals.ts";
import type { SyncRunDoc } from "../../../storage/sync/runs.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import type { Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { requestSync } from "../../queue/request-sync.ts";
import { causeBy, makeConnectionEvent } from "../connection/connection-event.ts";
import { loadConnection, notConnected } from "../connection/load.ts";
import { loadSyncView, type SyncView } from "./visible.ts";

const problemsShown = 100;

interface PageQuery {
  limit: number;
  cursor?: string;
}

export interface SyncState {
  connection: ConnectionDoc | null;
  synced: number;
  problems: SyncBaseDoc[];
  proposal: ProposalDoc | null;
}

/** The connection with the problems of its skills, as far as the caller may read them. */
export async function readSyncState(app: App, actor: Actor, tenantRef: string): Promise<SyncState> {
  const tenant = await loadTenant(app, actor, tenantRef, "githubSync:read");
  const connection = await app.storage.connections.findOfTenant(tenant._id);
  if (!connection) return { connection, synced: 0, problems: [], proposal: null };
  const view = await loadSyncView(app, actor, tenant._id, connection._id);
  if (!view.all) return readPartly(app, connection, view);
  const [synced, problems, proposal] = await Promise.all([
    app.storage.syncBases.count(connection._id),
    app.storage.syncBases.listProblems(connection._id, problemsShown),
    readProposal(app, connection),
  ]);
  return { connection, synced, problems, proposal };
}

const readProposal = (app: App, { _id, mode }: ConnectionDoc) =>
  mode === "pull_request" ? app.storage.syncProposals.find(_id) : null;

/** Problems whose message contains text of the host, which may name any file. */
const hostProblems = new Set(["push_rejected", "branch_protected", "signature_required"]);

/** The state for a caller who may not read every skill. */
async function readPartly(app: App, connection: ConnectionDoc, view: SyncView): Promise<SyncState> {
  const { syncBases, syncProposed } = app.storage;
  const [bases, proposed, proposal] = await Promise.all([
    syncBases.listPaths(connection._id),
    connection.mode === "pull_request" ? syncProposed.listOf(connection._id) : [],
    readProposal(app, connection),
  ]);
  const isVisible = ({ skillId }: { skillId: string }) => view.skill(skillId);
  const { problem, refusals } = connection;
  return {
    connection: {
      ...connection,
      ...(refusals ? { refusals: refusals.filter(({ path }) => view.path(path)) } : {}),
      ...(problem ? { problem: withoutHostText(problem) } : {}),
    },
    synced: bases.filter(isVisible).length,
    problems: await firstOf(syncBases.eachProblem(connection._id), isVisible, problemsShown),
    proposal: proposal && { ...proposal, skills: proposed.filter(isVisible).length },
  };
}

function withoutHostText(problem: SyncProblem): SyncProblem {
  if (!hostProblems.has(problem.code)) return problem;
  const message = "The host refuses the push. Ask someone who may read every skill for its reason.";
  return { ...problem, message };
}

/** The first rows that the caller may see. */
export async function firstOf<T>(
  rows: AsyncIterable<T>,
  isVisible: (row: T) => boolean,
  most: number,
): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) {
    if (isVisible(row)) found.push(row);
    if (found.length === most) break;
  }
  return found;
}

/** Requests a sync that also restores skills missing in the repository. Returns the connection with the request. */
export async function runByHand(app: App, actor: Actor, tenantRef: string): Promise<ConnectionDoc> {
  const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
  const { _id: id } = connection;
  const event = makeConnectionEvent(app, actor, "repohost_sync.manual_sync", connection);
  const request = { full: true, manual: true, events: [event], cause: causeBy(actor, "manual") };
  if ((await requestSync(app, { id }, request)) === undefined) throw notConnected(tenant);
  app.background("publish audit events", () => publishEvents(app, app.storage.connections, id, [event]));
  return (await app.storage.connections.find(id)) ?? connection;
}

/** A page of syncs, newest first, those of previous connections included. */
export async function listRuns(
  app: App,
  actor: Actor,
  tenantRef: string,
  { limit, cursor }: PageQuery,
): Promise<Page<SyncRunDoc>> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "githubSync:read");
  const before = decodeCursor(cursor, z.tuple([z.string().max(64)]))?.[0];
  const found = await app.storage.syncRuns.list({ tenantId, before, limit: limit + 1 });
  const current = (await app.storage.connections.findOfTenant(tenantId))?._id;
  const view = await loadSyncView(app, actor, tenantId, current);
  return pageOf(found, limit, (last) => [last._id]).map((run) =>
    view.all ? run : partOf(run, view, run.connectionId === current),
  );
}

/**
 * A run for a caller who may not read every skill. The skills that had the directories of a previous connection are
 * not known any more, so its refusals are left out.
 */
function partOf(run: SyncRunDoc, view: SyncView, isCurrent: boolean): SyncRunDoc {
  const refusals = (run.refusals ?? []).filter(({ path }) => isCurrent && view.path(path));
  const counts = { ...run.counts, imported: 0, created: 0, conflicts: 0, exported: 0, removed: 0 };
  for (const { folderId, ...done } of run.folders ?? []) {
    if (!view.folder(folderId)) continue;
    for (const what of Object.keys(done) as (keyof typeof done)[]) counts[what] += done[what];
  }
  return {
    ...run,
    counts: { ...counts, refused: refusals.length },
    refusals,
    ...(run.problem ? { problem: withoutHostText(run.problem) } : {}),
  };
}
