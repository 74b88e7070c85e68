/**
 * What a sync would do, before anything is written: of a connection as it stands, or of one that is to be made. It looks
 * at the branch in a mirror of its own, which is dropped again, and asks the same two deciders as the sync.
 */
import type { SyncPlanPayload } from "../../contract/payloads-sync.ts";
import type { RemoteScan } from "../../repos/mirror/types.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";
import { lookAt } from "./connect.ts";
import { planImport } from "./decide.ts";
import { listPlacedSkills, openExports } from "./exported.ts";
import { loadConnection } from "./load.ts";
import { openHost } from "./open-host.ts";
import { isPush, planExport } from "./plan-export.ts";
import type { ConnectRepository } from "./schema.ts";
import { proposedOf } from "./standing.ts";
import { askHost } from "./trouble.ts";
import { passedOverWords } from "./work.ts";
import type { RepositoryHost } from "../../repos/hosts/host.ts";

const listed = 500;
const mostBytes = 64 * 1024 * 1024;
const longestMs = 60_000;

interface Planned {
  tenantId: string;
  host: RepositoryHost;
  repository: string;
  branch: string;
  connection: ConnectionDoc | undefined;
}

/** The plan of the next full sync of what is connected. */
export async function planConnected(app: App, actor: Actor, tenantRef: string): Promise<SyncPlanPayload> {
  const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:read");
  const host = await askHost(() => openHost(app, connection));
  const { branch } = connection;
  return plan(app, { tenantId: tenant._id, host, repository: connection.host.fullName, branch, connection });
}

/** The plan of the first sync of what is to be connected, by whoever may connect it. */
export async function planDraft(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ConnectRepository,
): Promise<SyncPlanPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "githubSync:manage");
  const { host, repository, branch } = await lookAt(app, tenant._id, input);
  const { fullName } = repository;
  return plan(app, { tenantId: tenant._id, host, repository: fullName, branch, connection: undefined });
}

/** Organizations whose plan is being made by this process: each takes a fetch of the whole branch. */
const planning = new Set<string>();

async function plan(app: App, planned: Planned): Promise<SyncPlanPayload> {
  const { tenantId } = planned;
  if (planning.has(tenantId))
    throw new ServiceError("conflict", "A plan is being made already: wait for it.", { kind: "repository" });
  planning.add(tenantId);
  const mirror = app.mirrors.open({ tenantId, connectionId: app.newId() });
  const signal = AbortSignal.timeout(longestMs);
  try {
    return await askHost(async () => {
      const remote = await planned.host.remote();
      const fetched = await mirror.fetch(remote, planned.branch, { maxBytes: mostBytes, signal });
      const scan = fetched.status === "fetched" ? await mirror.scan(fetched.commit) : undefined;
      const branchState =
        fetched.status === "fetched" ? "present" : fetched.status === "empty" ? "empty" : "missing";
      return { ...(await compare(app, planned, scan)), branchState };
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new ServiceError("unavailable", "The repository took too long to be read: try again.", undefined, {
      cause: error,
    });
  } finally {
    planning.delete(tenantId);
    await mirror.drop();
  }
}

async function compare(
  app: App,
  { tenantId, repository, branch, connection }: Planned,
  scan: RemoteScan | undefined,
): Promise<Omit<SyncPlanPayload, "branchState">> {
  const [skills, bases, rows] = await Promise.all([
    listPlacedSkills(app, tenantId),
    connection ? app.storage.syncBases.listOf(connection._id) : [],
    connection ? app.storage.syncProposed.listOf(connection._id) : [],
  ]);
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const proposed = proposedOf(rows, { bases: baseOf, skills: byId });
  const exports = openExports(app, () => byId);
  const directories = scan?.directories ?? [];
  const imports = await planImport(directories, bases, skills, exports, {
    of: (id) => proposed.get(id)?.contents ?? [],
    areTaken: async () => false,
  });
  const versions = imports.filter((action) => action.kind === "version");
  const creates = imports.filter((action) => action.kind === "create");
  // What becomes a version is written back as it is, but for its `.svc.json`.
  const held = new Set(versions.map(({ skillId }) => skillId));
  const { exported } = exports;
  const steps = (
    await planExport({ skills, bases, directories, full: true, held, refused: new Set(), exported })
  ).filter(isPush);
  const slugOf = (id: string) => byId.get(id)?.slug ?? id;
  const writes = steps
    .flatMap(({ skillId, put }) => (put ? [{ path: put.path, skill: slugOf(skillId) }] : []))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const removes = steps.flatMap(({ remove }) => remove).sort();
  const isBlocked = scan?.skills === "blocked";
  return {
    repository,
    branch,
    skills: skills.length + creates.length,
    write: writes.slice(0, listed),
    writes: writes.length,
    remove: removes.slice(0, listed),
    removes: removes.length,
    create: creates.slice(0, listed).map(({ path }) => ({ path })),
    creates: creates.length,
    update: versions
      .slice(0, listed)
      .map(({ path, skillId, conflict }) => ({ path, skill: slugOf(skillId), conflict })),
    updates: versions.length,
    problems: [
      ...(isBlocked ? [{ path: "skills", message: "skills is no folder: nothing can be synced." }] : []),
      ...(scan?.problems ?? []).map(({ path, why }) => ({ path, message: passedOverWords[why] })),
    ].slice(0, listed),
  };
}
