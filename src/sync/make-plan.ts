/**
 * Makes the plan of a sync: fetches the branch into a mirror of the plan's own, and asks the same two deciders as the
 * sync. What a host sends may take any amount of memory and of a processor's time, so a service that has other callers
 * does this in a process of its own (`App.makePlan`).
 */
import type { SyncPlanPayload } from "../../contract/payloads-sync.ts";
import type { RemoteScan } from "../../repos/mirror/types.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import type { SyncProposed } from "../../storage/sync-proposed.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { planImport } from "./decide.ts";
import { knownPlaces, listPlacedSkills, openExports, type PlacedSkill } from "./exported.ts";
import { openHost } from "./open-host.ts";
import { isPush, planExport } from "./plan-export.ts";
import { proposedOf } from "./standing.ts";
import { askHost } from "./trouble.ts";
import { passedOverWords } from "./work.ts";

const listed = 500;
const mostBytes = 64 * 1024 * 1024;

/** What is to be planned, as plain data: credentials are sealed in it. */
export interface PlanWork {
  /** What the plan's own mirror goes by. */
  planId: string;
  /** The connection; or what one would be, under the id that its credential is sealed with. */
  connection: Pick<ConnectionDoc, "_id" | "tenantId" | "host" | "branch" | "credential">;
  isConnected: boolean;
  timeoutMs: number;
}

/**
 * The mirror is left to whoever asks, since a process that is killed here could not drop it. Throws `refused` and
 * `unavailable`, as the host's trouble is.
 */
export async function makePlan(app: App, work: PlanWork): Promise<SyncPlanPayload> {
  const { planId, connection, timeoutMs } = work;
  const mirror = app.mirrors.open({ tenantId: connection.tenantId, connectionId: planId });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await askHost(async () => {
      const host = await openHost(app, connection);
      const remote = await host.remote();
      const fetched = await mirror.fetch(remote, connection.branch, { maxBytes: mostBytes, signal });
      const sides = await loadSides(app, work);
      const known = knownPlaces(sides.skills, sides.bases);
      const scan = fetched.status === "fetched" ? await mirror.scan(fetched.commit, { known }) : undefined;
      const branchState =
        fetched.status === "fetched" ? "present" : fetched.status === "empty" ? "empty" : "missing";
      return { ...(await compare(app, work, sides, scan)), branchState };
    });
  } catch (error) {
    throw signal.aborted ? tookTooLong(error) : error;
  }
}

export function tookTooLong(cause: unknown): ServiceError {
  return new ServiceError("unavailable", "The repository took too long to be read: try again.", undefined, {
    cause,
  });
}

interface Sides {
  skills: PlacedSkill[];
  bases: SyncBase[];
  proposed: SyncProposed[];
}

async function loadSides(app: App, { connection: { _id, tenantId }, isConnected }: PlanWork): Promise<Sides> {
  const [skills, bases, proposed] = await Promise.all([
    listPlacedSkills(app, tenantId),
    isConnected ? app.storage.syncBases.listOf(_id) : [],
    isConnected ? app.storage.syncProposed.listOf(_id) : [],
  ]);
  return { skills, bases, proposed };
}

async function compare(
  app: App,
  { connection: { host, branch } }: PlanWork,
  { skills, bases, proposed: rows }: Sides,
  scan: RemoteScan | undefined,
): Promise<Omit<SyncPlanPayload, "branchState">> {
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
    repository: host.fullName,
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
