/**
 * Makes the plan of a sync: fetches the branch into a mirror of the plan's own, and asks the same two deciders as the
 * sync. What a host sends may take any amount of memory and of a processor's time, so a service that has other callers
 * does this in a process of its own (`App.makePlan`).
 */
import type { SyncPlanPayload } from "../../../contract/payloads/sync.ts";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import { indexFile, indexPath } from "../../../repos/mirror/layout.ts";
import type { Mirror, RemoteScan } from "../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../storage/sync-bases.ts";
import type { SyncProposed } from "../../../storage/sync-proposed.ts";
import type { SyncRefusal } from "../../../storage/sync-runs.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadTree } from "../../folders/trees.ts";
import type { FolderTree } from "../../folders/tree.ts";
import { planImport } from "../content/plan-import.ts";
import { knownPaths, listLocatedSkills, openExports, type LocatedSkill } from "../content/exported.ts";
import { visitHost } from "../connection/host-access.ts";
import { openHost } from "../connection/open-host.ts";
import { keptContents, messageOf, permittedSteps } from "../content/permit.ts";
import { isPush, planExport } from "../content/plan-export.ts";
import { tryImports } from "./try-imports.ts";
import { refusalOf } from "../content/refusal.ts";
import { proposedOf } from "../content/proposal-state.ts";
import { askHost } from "../connection/host-errors.ts";
import { findUnreadable } from "../content/unreadable.ts";
import { viewOf } from "../report/visible.ts";
import type { PlanRequest } from "./plan-request.ts";
import { indexProblemMessage, toRefusal, undoneEdit } from "../content/context.ts";

const listed = 500;
const skillsBlocked = "It is not a directory, so nothing can be synced: rename it.";
const mostBytes = 64 * 1024 * 1024;

/**
 * The mirror is left to whoever asks, since a process that is killed here could not drop it. Throws `refused` and
 * `unavailable`, as the host's trouble is.
 */
export async function makePlan(app: App, work: PlanRequest): Promise<SyncPlanPayload> {
  const { planId, connection, timeoutMs } = work;
  const mirror = app.mirrors.open({ tenantId: connection.tenantId, connectionId: planId });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await askHost(async () => {
      if (!work.isConnected) return read(await openHost(app, connection, undefined));
      return visitHost(app, connection, read);
    });
  } catch (error) {
    throw signal.aborted ? tookTooLong(error) : error;
  }

  async function read(host: RepositoryHost): Promise<SyncPlanPayload> {
    const remote = await host.remote();
    const fetched = await mirror.fetch(remote, connection.branch, { maxBytes: mostBytes, signal });
    const sides = await loadSides(app, work);
    const known = knownPaths(sides.skills, sides.bases);
    const scan = fetched.status === "fetched" ? await mirror.scan(fetched.commit, { known }) : undefined;
    const isNew = fetched.status === "empty" && !work.hasHadBranch && sides.bases.length === 0;
    const branchState = fetched.status === "fetched" ? "present" : isNew ? "empty" : "missing";
    return { ...(await compare(app, mirror, work, sides, scan)), branchState };
  }
}

export function tookTooLong(cause: unknown): ServiceError {
  return new ServiceError("unavailable", "The repository took too long to be read: try again.", undefined, {
    cause,
  });
}

interface Sides {
  skills: LocatedSkill[];
  bases: SyncBase[];
  proposed: SyncProposed[];
  tree: FolderTree;
}

async function loadSides(
  app: App,
  { connection: { _id, tenantId }, isConnected }: PlanRequest,
): Promise<Sides> {
  const [skills, tree, bases, proposed] = await Promise.all([
    listLocatedSkills(app, tenantId),
    loadTree(app, tenantId),
    isConnected ? app.storage.syncBases.listOf(_id) : [],
    isConnected ? app.storage.syncProposed.listOf(_id) : [],
  ]);
  return { skills, bases, proposed, tree };
}

async function compare(
  app: App,
  mirror: Mirror,
  { connection: { host, branch }, readable }: PlanRequest,
  { skills, bases, proposed: rows, tree }: Sides,
  scan: RemoteScan | undefined,
): Promise<Omit<SyncPlanPayload, "branchState">> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const proposed = proposedOf(rows, { bases: baseOf, skills: byId });
  const exports = openExports(app, () => byId);
  const directories = scan?.directories ?? [];
  const decided = await planImport(directories, bases, skills, exports, {
    of: (id) => proposed.get(id)?.contents ?? [],
    areMerged: async () => false,
  });
  const tried = await tryImports(app, mirror, decided, {
    directories,
    skills: byId,
    bases: baseOf,
    tree,
  });
  const unreadable = scan ? findUnreadable(scan, skills, baseOf) : { skipped: [], others: [] };
  const problems: SyncRefusal[] = [
    ...tried.refused.map(({ path, code, message }) => ({ path, code, message })),
    ...unreadable.skipped.map(({ path, problem }) => toRefusal({ ...problem, path })),
    ...unreadable.others.map(toRefusal),
    ...tried.undone.map(undoneEdit),
  ];
  const waiting = [...tried.refused, ...unreadable.skipped];
  const view = viewOf({ readable, tree, skills, bases });
  const versions = tried.actions.filter((action) => action.kind === "version");
  const creates = tried.actions.filter((action) => action.kind === "create" && view.path(action.path));
  // What becomes a version is written back as it is, but for its `.svc.json`.
  const skipped = new Set([...versions, ...waiting].flatMap(({ skillId }) => skillId ?? []));
  const { exported } = exports;
  const planned = await planExport({
    skills,
    bases,
    directories,
    full: true,
    skipped,
    refused: new Set(waiting.map(({ path }) => path)),
    exported,
    contain(skill, error) {
      const refusal = refusalOf(app, error, skill.path);
      if (refusal) problems.push({ path: skill.path, ...refusal });
      return refusal !== undefined;
    },
  });
  const isBlocked = scan?.skills === "blocked";
  const permitted = await permittedSteps(mirror, scan?.commit ?? null, isBlocked ? [] : planned, {
    kept: keptContents([...bases, ...tried.actions, ...tried.unchanged], rows),
    index: indexFile(skills),
    indexPath,
  });
  for (const { step, edit } of permitted.refused)
    problems.push({
      path: step.put?.path ?? step.remove[0] ?? "",
      code: edit.why,
      message: messageOf(edit),
    });
  if (permitted.index && !isBlocked)
    problems.push({
      path: indexPath,
      code: permitted.index.why,
      message: indexProblemMessage(permitted.index.why),
    });
  const steps = permitted.steps.filter((step) => isPush(step) && view.skill(step.skillId));
  const slugOf = (id: string) => byId.get(id)?.slug ?? id;
  const writes = steps
    .flatMap(({ skillId, put }) => (put ? [{ path: put.path, skill: slugOf(skillId) }] : []))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const removes = steps.flatMap(({ remove }) => remove).sort();
  const updates = versions.filter(({ skillId }) => view.skill(skillId));
  return {
    repository: host.fullName,
    branch,
    skills: skills.filter(({ id }) => view.skill(id)).length + creates.length,
    write: writes.slice(0, listed),
    writes: writes.length,
    remove: removes.slice(0, listed),
    removes: removes.length,
    create: creates.slice(0, listed).map(({ path }) => ({ path })),
    creates: creates.length,
    update: updates
      .slice(0, listed)
      .map(({ path, skillId, conflict }) => ({ path, skill: slugOf(skillId), conflict })),
    updates: updates.length,
    problems: [
      ...(isBlocked ? [{ path: "skills", code: "skills_blocked", message: skillsBlocked }] : []),
      ...problems.filter(({ path }) => view.path(path)),
    ].slice(0, listed),
  };
}
