/**
 * One sync of a connection: fetch, import what the repository has edited, export what changed here, push; and again when the
 * branch moved meanwhile. Whoever runs it holds the connection's lease. Any step may be the last one: what is there is
 * compared by content, so the next sync goes on from wherever this one stopped, and a second one changes nothing.
 */
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../contract/limits.ts";
import { RepoError } from "../../repos/errors.ts";
import type { RepositoryHost } from "../../repos/hosts/host.ts";
import { indexFile } from "../../repos/mirror/layout.ts";
import type { Mirrors, RemoteScan } from "../../repos/mirror/types.ts";
import type { ConnectionDoc, SyncProblem } from "../../storage/connections.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import type { App } from "../app.ts";
import { syncActor } from "../skills/import.ts";
import { planImport } from "./decide.ts";
import { pushExports } from "./export.ts";
import { knownPlaces, listPlacedSkills, openExports } from "./exported.ts";
import { forgetErased } from "./forget-erased.ts";
import { applyImport } from "./import.ts";
import { planExport } from "./plan-export.ts";
import { propose, withdraw } from "./propose.ts";
import { findRequest, proposalBranch, proposalsOf, readStanding, settleRows } from "./standing.ts";
import { blockedBy, branchMissing } from "./trouble.ts";
import { passOver, SyncBlocked, toldRefusals, type SyncWork } from "./work.ts";

/** How often a sync starts over because somebody pushed or published meanwhile. */
const rounds = 6;
const roundPauseMs = 200;
export const leaseMs = 60_000;
const renewMs = leaseMs / 4;
/** How often a run tells how far it is. */
const tellMs = 2000;
/** The first pause after a failure, which doubles, and the longest. */
const retryMs = { first: 15_000, most: 3_600_000 };
/** What a host is left alone for that limits us and names no time. */
const limitedMs = 60_000;

export interface SyncPorts {
  mirrors: Mirrors;
  hostOf(connection: ConnectionDoc): Promise<RepositoryHost> | RepositoryHost;
  /** The name that the lease is held by; one of its own by default. */
  holder?: string;
}

export type SyncEnd = "done" | "blocked" | "failed" | "busy" | "lost";

/**
 * Runs what is due of a connection. `busy`: somebody else is at it, or it is gone; `lost`: somebody else took it over. All
 * trouble is told at the connection; only what is no trouble of the sync's is thrown.
 */
export async function runSync(app: App, connectionId: string, ports: SyncPorts): Promise<SyncEnd> {
  const { connections, tenants } = app.storage;
  const startedAt = app.now();
  const connection = await connections.takeLease(
    connectionId,
    ports.holder ?? app.newId(),
    new Date(startedAt.getTime() + leaseMs),
    startedAt,
  );
  if (!connection?.lease) return "busy";
  const { fence } = connection.lease;
  const tenant = await tenants.find(connection.tenantId);
  // Done already by whoever held the lease; and of an organization that is being deleted nothing is written any more.
  if (connection.wanted <= connection.done || !tenant || tenant.deletionAt)
    return endEmpty(app, connection, fence);

  const runId = app.newId();
  const full = connection.fullWanted > (connection.fullDone ?? 0);
  const counts = { imported: 0, created: 0, conflicts: 0, exported: 0, removed: 0, refused: 0, retries: 0 };
  const { syncRuns } = app.storage;
  const run = { connectionId, tenantId: connection.tenantId, full, startedAt };
  await syncRuns.start({ _id: runId, ...run, outcome: "running", counts });
  await syncRuns.closeStopped(connectionId, runId, startedAt);

  let commit: string | null | undefined;
  let problem: SyncProblem | undefined;
  let waitMs: number | undefined;
  let outcome: "done" | "blocked" | "failed" = "done";
  const leaving = new AbortController();
  const work: SyncWork = {
    app,
    actor: syncActor(connection, tenant),
    connection,
    mirror: ports.mirrors.open({ tenantId: connection.tenantId, connectionId }),
    remote: { kind: "directory", path: "" },
    pulls: undefined,
    full,
    counts,
    refusals: [],
    passedOver: [],
    signal: leaving.signal,
  };
  // Nothing may fail between these and the end that clears them: a lease that is renewed for ever stops the connection.
  const renewal = setInterval(() => {
    const until = new Date(app.now().getTime() + leaseMs);
    connections.renewLease(connectionId, fence, until).then(
      (isHeld) => isHeld || leaving.abort(),
      () => undefined,
    );
  }, renewMs);
  const telling = setInterval(() => void syncRuns.tell(runId, counts).catch(() => undefined), tellMs);
  try {
    const host = await ports.hostOf(connection);
    work.remote = await host.remote();
    work.pulls = host.pullRequests;
    commit = await inRounds(work);
    await forgetErased(work);
  } catch (error) {
    if (leaving.signal.aborted) outcome = "failed";
    else {
      [outcome, problem] = troubleOf(app, error);
      waitMs = waitOf(error);
    }
  } finally {
    clearInterval(renewal);
    clearInterval(telling);
  }

  const now = app.now();
  const refusals = toldRefusals(work);
  const isSame = outcome === "blocked" && problem?.code === connection.problem?.code;
  const isChange = Object.values(counts).some((count) => count > 0);
  // One that was blocked is full again each time, and is told once.
  const isNews = isChange || (outcome !== "done" && !isSame) || connection.fullWanted > connection.done;
  if (isNews)
    await syncRuns.finish(runId, {
      endedAt: now,
      outcome,
      counts,
      refusals,
      ...(commit ? { commit } : {}),
      ...(problem ? { problem } : {}),
    });
  else await syncRuns.forget(runId);
  await syncRuns.trim(connectionId, limits.syncRunsKept);
  if (leaving.signal.aborted) return "lost";
  const isEnded = await connections.finish(connectionId, fence, {
    done: connection.wanted,
    ...(full && outcome === "done" ? { fullDone: connection.fullWanted } : {}),
    now,
    status: outcome === "done" ? "active" : outcome === "blocked" ? "blocked" : "failing",
    ...(commit ? { lastRemoteOid: commit } : {}),
    ...(problem ? { problem } : {}),
    ...(outcome === "failed" ? { retryAt: retryAt(connection, now, waitMs) } : {}),
    ...(waitMs === undefined ? {} : { notBefore: new Date(now.getTime() + waitMs) }),
    ...(outcome === "done" || refusals.length > 0 ? { refusals } : {}),
  });
  return isEnded ? outcome : "lost";
}

/** Gives the lease back, and leaves what is known as it is. */
async function endEmpty(app: App, connection: ConnectionDoc, fence: number): Promise<SyncEnd> {
  const { _id, wanted, problem } = connection;
  const status = connection.status === "disconnecting" ? "active" : connection.status;
  const result = { done: wanted, now: app.now(), status, ...(problem ? { problem } : {}) };
  return (await app.storage.connections.finish(_id, fence, result)) ? "done" : "lost";
}

async function inRounds(work: SyncWork): Promise<string | null> {
  let isAfresh = false;
  for (let round = 1; ; round++) {
    work.refusals = [];
    work.passedOver = [];
    work.counts.refused = 0;
    let result: Awaited<ReturnType<typeof oneRound>>;
    try {
      result = await oneRound(work);
    } catch (error) {
      if (!(error instanceof RepoError) || error.code !== "mirror_damaged") throw error;
      // Damaged again when it was just fetched, it is the repository that is.
      if (isAfresh) throw error.cause;
      isAfresh = true;
      round--;
      work.app.log.warn({ error, connection: work.connection._id }, "a damaged mirror is dropped");
      await work.mirror.drop();
      continue;
    }
    if (result !== "again") return result.commit;
    work.counts.retries++;
    if (round === rounds)
      throw new RepoError("remote_unreachable", "the branch moved at every try: it is tried again later");
    await pause(roundPauseMs * round * (0.5 + Math.random()), undefined, { signal: work.signal });
  }
}

async function oneRound(work: SyncWork): Promise<{ commit: string | null } | "again"> {
  const { app, mirror, connection } = work;
  const request = await findRequest(work);
  const fetched = await mirror.fetch(work.remote, connection.branch, {
    signal: work.signal,
    beside: proposalBranch(connection.branch),
  });
  if (fetched.status === "no_branch") throw branchMissing(connection.branch, fetched);
  const parent = fetched.status === "fetched" ? fetched.commit : null;
  let { skills, bases } = await loadSides(work);
  const known = knownPlaces(skills.values(), bases.values());
  const scan = parent === null ? emptyScan : await mirror.scan(parent, { known });
  if (scan.skills === "blocked")
    throw new SyncBlocked("skills_blocked", "skills is no folder in the repository: rename what is there.");
  passOver(work, scan.problems);

  const standing = await readStanding(
    work,
    request,
    (fetched.status === "fetched" && fetched.beside) || null,
  );
  const exports = openExports(app, () => skills);
  const { exported } = exports;
  const actions = await planImport(
    scan.directories,
    [...bases.values()],
    [...skills.values()],
    exports,
    proposalsOf(work, standing, parent, { skills, bases }),
  );
  const facts = { commit: parent ?? "", directories: scan.directories, skills, bases };
  const imported = await applyImport(work, actions, facts);
  if (imported.hasMoved) return "again";
  if (imported.isChanged) ({ skills, bases } = await loadSides(work));

  const steps = await planExport({
    skills: [...skills.values()],
    // One with a problem is looked at again each time.
    bases: [...bases.values()].map((base) => (base.problem ? { ...base, skillRevision: -1 } : base)),
    directories: scan.directories,
    full: work.full,
    held: imported.held,
    refused: imported.refused,
    exported,
  });
  const index = indexFile([...skills.values()]);
  const present = new Map(scan.directories.map(({ path, contentTree }) => [path, contentTree]));
  const toExport = { parent, skills, bases, present, index, exported };
  const settled = await settleRows(work, standing, { skills, bases });
  const isProposed = connection.mode === "pull_request";
  const pushed = isProposed
    ? await propose(work, steps, toExport, settled)
    : await pushExports(work, steps, toExport);
  if (pushed === "moved") return "again";
  if (!isProposed) await withdraw(work, settled);
  return pushed;
}

const emptyScan: RemoteScan = {
  commit: "",
  skills: "absent",
  complete: true,
  directories: [],
  gone: [],
  problems: [],
};

async function loadSides({ app, connection }: SyncWork) {
  const [skills, bases] = await Promise.all([
    listPlacedSkills(app, connection.tenantId),
    app.storage.syncBases.listOf(connection._id),
  ]);
  return {
    skills: new Map(skills.map((skill) => [skill.id, skill])),
    bases: new Map<string, SyncBase>(bases.map((base) => [base.skillId, base])),
  };
}

/** What somebody has to mend stays until then; the rest is tried again by itself. */
function troubleOf(app: App, error: unknown): ["blocked" | "failed", SyncProblem] {
  const at = app.now();
  const blocked = blockedBy(error);
  if (blocked) return ["blocked", { code: blocked.code, message: blocked.message, at }];
  if (error instanceof RepoError) {
    const problem = { code: error.code, message: `${error.message}.`.replace(/\.\.$/, "."), at };
    return [error.retryable ? "failed" : "blocked", problem];
  }
  app.log.error({ error }, "a sync failed unexpectedly");
  return [
    "failed",
    { code: "internal", message: "Something went wrong on our side: it is tried again.", at },
  ];
}

/** How long the host is to be left alone: to go on asking would only make it longer. */
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof RepoError)) return undefined;
  return error.retryAfterMs ?? (error.code === "rate_limited" ? limitedMs : undefined);
}

/** When what failed is tried again: ever later, the more often it failed in a row. */
export function retryAt({ failures }: ConnectionDoc, now: Date, waitMs = 0): Date {
  const ms = Math.min(retryMs.first * 2 ** Math.min(failures, 20), retryMs.most);
  return new Date(now.getTime() + Math.max(ms, waitMs) * (1 + Math.random() / 4));
}
