/**
 * Changed lines of a plan, by directory that both sides have. A plan of any size has a response of bounded size: files
 * beyond the limits are listed without their lines.
 */
import { limits } from "../../../contract/limits.ts";
import type { FileDiffPayload } from "../../../contract/payloads/skills/skills.ts";
import type { DirectoryChangesPayload } from "../../../contract/payloads/sync.ts";
import { exportedFile } from "../../../repos/mirror/layout.ts";
import type { RemoteSkill } from "../../../repos/mirror/types.ts";
import { hashObject } from "../../../repos/store/objects.ts";
import type { App } from "../../app.ts";
import { diffLines } from "../../compute/pieces/line-diff.ts";
import { isText } from "../../skills/diff/changed-files.ts";
import type { LocatedSkill } from "../content/export/exported.ts";
import { isPush } from "../content/export/plan-export.ts";
import type { SyncView } from "../report/visible.ts";
import type { Comparison, PlannedSync } from "./compare-sides.ts";

/** Numbers of directories, of compared files and of lines, in a plan. */
const [maxDirectories, maxFiles, maxLines] = [40, 200, 5000];
/** Time limit for all comparisons of a plan. */
const maxMs = 2000;
const contextLines = 3;

/** One side of a directory. */
interface Side {
  files: Map<string, { oid: string; size: number }>;
  read(path: string): Promise<Buffer>;
}

/** A directory that changes on one side. */
interface Changed {
  path: string;
  target: "repository" | "service";
  skill: LocatedSkill;
  directory: RemoteSkill;
}

export async function listDirectoryChanges(
  comparison: Comparison,
  planned: PlannedSync,
  view: SyncView,
): Promise<DirectoryChangesPayload[]> {
  const changed = findChanged(comparison, planned, view)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, maxDirectories);
  const budget = { files: maxFiles, lines: maxLines, ms: maxMs };
  const changes: DirectoryChangesPayload[] = [];
  for (const { path, target, skill, directory } of changed) {
    const [here, there] = await Promise.all([
      sideOfService(comparison.app, skill),
      sideOfRepository(comparison, directory),
    ]);
    const [before, after] = target === "repository" ? [there, here] : [here, there];
    changes.push({ path, target, files: await compareFiles(before, after, budget) });
  }
  return changes;
}

/** Directories of the plan that exist on both sides and that the caller may read. */
function findChanged({ sides, scan }: Comparison, planned: PlannedSync, view: SyncView): Changed[] {
  const skills = new Map(sides.skills.map((skill) => [skill.id, skill]));
  const directories = new Map(scan?.directories.map((directory) => [directory.path, directory]));
  const pair = (path: string, target: Changed["target"], skillId: string, at: string): Changed[] => {
    const [skill, directory] = [skills.get(skillId), directories.get(at)];
    if (!skill || !directory || !view.skill(skillId) || !view.path(at)) return [];
    return [{ path, target, skill, directory }];
  };
  return [
    ...planned.exports
      .filter(isPush)
      .flatMap(({ skillId, put }) =>
        put ? pair(put.path, "repository", skillId, put.from ?? put.path) : [],
      ),
    ...planned.imports.flatMap((action) =>
      action.kind === "version"
        ? pair(action.path, "service", action.skillId, action.strayPath ?? action.path)
        : [],
    ),
  ];
}

async function sideOfService(app: App, skill: LocatedSkill): Promise<Side> {
  const { current, tenantId, id: skillId } = skill;
  const repo = { tenantId, skillId };
  const read = async (path: string) => {
    const file = await app.repos.readFile(repo, current.oid, path);
    if (!file) throw new Error(`the version ${current.oid} of skill ${skillId} has no file ${path}`);
    return exportedFile(current.format, { path, mode: "100644", data: file.data }).data;
  };
  const listed = await app.repos.listFiles(repo, current.oid);
  if (current.format === "package")
    return { files: new Map(listed.map(({ path, oid, size }) => [path, { oid, size }])), read };
  // A text is exported with a header, so its bytes in the repository are not those of the version.
  const exported = await Promise.all(
    listed.map(async ({ path }) => {
      const data = await read(path);
      return [path, { oid: hashObject("blob", data), size: data.length }] as const;
    }),
  );
  return { files: new Map(exported), read };
}

async function sideOfRepository({ mirror }: Comparison, directory: RemoteSkill): Promise<Side> {
  const { files } = await mirror.list(directory);
  const byPath = new Map(files.map(({ path, oid, size }) => [path, { oid, size }]));
  return { files: byPath, read: (path) => mirror.read(byPath.get(path)!.oid) };
}

interface Budget {
  files: number;
  lines: number;
  ms: number;
}

async function compareFiles(before: Side, after: Side, budget: Budget): Promise<FileDiffPayload[]> {
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].sort();
  const changed: FileDiffPayload[] = [];
  for (const path of paths) {
    const [left, right] = [before.files.get(path), after.files.get(path)];
    if (left?.oid === right?.oid) continue;
    const status = !left ? "added" : !right ? "removed" : "modified";
    const isSmall = [left, right].every((side) => !side || side.size <= limits.inlineFileBytes);
    const lines =
      isSmall && Math.min(budget.files, budget.lines, budget.ms) > 0
        ? await compareLines(left ? before : undefined, right ? after : undefined, path, budget)
        : undefined;
    changed.push({ path, status, ...(lines ?? { binary: false, truncated: true, hunks: [] }) });
  }
  return changed;
}

/** Undefined if the comparison takes too long or has too many lines. */
async function compareLines(
  before: Side | undefined,
  after: Side | undefined,
  path: string,
  budget: Budget,
): Promise<Pick<FileDiffPayload, "binary" | "truncated" | "hunks"> | undefined> {
  budget.files--;
  const nothing = Buffer.alloc(0);
  const [left, right] = await Promise.all([before?.read(path) ?? nothing, after?.read(path) ?? nothing]);
  if (!isText(left) || !isText(right)) return { binary: true, truncated: false, hunks: [] };
  // In the process of its job, which is ended if it takes too long.
  const { hunks, ms } = diffLines({
    path,
    left: left.toString("utf8"),
    right: right.toString("utf8"),
    context: contextLines,
  });
  budget.ms -= ms;
  const count = hunks?.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
  if (!hunks || count > budget.lines) return undefined;
  budget.lines -= count;
  return { binary: false, truncated: false, hunks };
}
