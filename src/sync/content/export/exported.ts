/** Skills as they are exported to a connected repository: their paths, and the content of their versions. */
import { keepByName } from "../../../../contract/package/leave-out.ts";
import {
  contentTreeOf,
  contentTreeOfText,
  exportedFile,
  mirrorPath,
  svcRecordFile,
} from "../../../../repos/mirror/layout.ts";
import type { MirrorFile } from "../../../../repos/mirror/types.ts";
import { hashObject } from "../../../../repos/store/objects.ts";
import type { RepoId } from "../../../../repos/store/types.ts";
import type { MirroredSkill } from "../../../../storage/skills/tenant-skills.ts";
import type { VersionDoc } from "../../../../storage/versions/versions.ts";
import type { App } from "../../../app.ts";
import { loadTree } from "../../../folders/tree/trees.ts";
import { findVersionOf, listContents } from "../../../skills/versions/versions.ts";
import type { MergeBase, ImportQuestions, LaterVersion } from "../plan-types.ts";
import { refusalOf } from "../refusal.ts";
import type { ExportedAs } from "./plan-export.ts";

const listBatchSize = 1000;
const maxLooks = 5;

export interface LocatedSkill extends MirroredSkill {
  id: string;
  path: string;
}

/** Skills of an organization that are not deleted, with their paths in the repository. */
export async function listLocatedSkills(app: App, tenantId: string): Promise<LocatedSkill[]> {
  for (let look = 1; ; look++) {
    const skills = await listSkills(app, tenantId);
    // Read after the skills, the tree has all of their folders, except those that were emptied and deleted
    // concurrently.
    const tree = await loadTree(app, tenantId);
    const placed = skills.flatMap((skill) => {
      const folders = skill.folderId === null ? [] : tree.ancestry(skill.folderId).toReversed();
      if (skill.folderId !== null && folders.length === 0) return [];
      const slugs = folders.map(({ slug }) => slug);
      return [{ ...skill, id: skill._id, path: mirrorPath(slugs, skill.slug) }];
    });
    // A missing skill would be taken for a deleted one.
    if (placed.length === skills.length) return placed;
    if (look === maxLooks) throw new Error(`skills of ${tenantId} are in folders that do not exist`);
  }
}

/** Present and intended paths of skills, by which `Mirror.scan` distinguishes folders from skills. */
export function knownPaths(skills: Iterable<{ path: string }>, bases: Iterable<MergeBase>): string[] {
  const known = Array.from(skills, ({ path }) => path);
  for (const { path, strayPath } of bases) known.push(path, ...(strayPath === undefined ? [] : [strayPath]));
  return known;
}

async function listSkills(app: App, tenantId: string): Promise<MirroredSkill[]> {
  const skills: MirroredSkill[] = [];
  for (let after = ""; ;) {
    const rows = await app.storage.tenantSkills.listToMirror(tenantId, after, listBatchSize);
    skills.push(...rows);
    if (rows.length < listBatchSize) return skills;
    after = rows.at(-1)!._id;
  }
}

export interface ExportedSkill extends ExportedAs {
  /** Bytes of `.svc.json`. */
  svc: Buffer;
  files(): AsyncIterable<MirrorFile>;
}

/** Exports of skills, and the questions of the import plan that they answer (`import-questions.ts`). */
export interface Exports extends Omit<ImportQuestions, "now" | "holdsVersion" | "resemblesOther"> {
  exported(skillId: string): Promise<ExportedSkill>;
}

/** Reads each skill once per revision. `skills` returns the current ones. */
export function openExports(app: App, skills: () => ReadonlyMap<string, LocatedSkill>): Exports {
  const known = new Map<string, Promise<ExportedSkill>>();
  const placed = (id: string) => skills().get(id)!;
  return {
    exported(id) {
      const skill = placed(id);
      const key = `${id} ${skill.revision}`;
      let exported = known.get(key);
      if (!exported) known.set(key, (exported = exportSkill(app, skill)));
      return exported;
    },
    contentTreesOf: (id) => contentTreesOf(app, placed(id)),
    since: (id, version) => exportedSince(app, placed(id), version),
    refusal: (error, path) => refusalOf(app, error, path),
  };
}

/** The directory of a skill's current version. It depends only on the revision of the skill. */
async function exportSkill(app: App, skill: LocatedSkill): Promise<ExportedSkill> {
  const { current, type } = skill;
  const svc = svcRecordFile({
    id: skill.id,
    version: current.version,
    semver: current.semver,
    type,
    visibility: skill.visibility,
    tags: skill.tags,
    author: skill.author,
    versionAuthor: await authorOfCurrent(app, skill),
  });
  return {
    contentTree: await contentTreeOfVersion(app, skill, current),
    svcBlob: hashObject("blob", svc),
    svc,
    async *files() {
      const repo = { tenantId: skill.tenantId, skillId: skill.id };
      const kept = new Set((await listExported(app, repo, current.oid)).map(({ path }) => path));
      for await (const { path, mode, data } of app.repos.readFiles(repo, current.oid))
        if (kept.has(path)) yield exportedFile(current.format, { path, mode, data });
    },
  };
}

/** Content trees of all versions of a skill. */
async function contentTreesOf(app: App, skill: LocatedSkill): Promise<ReadonlySet<string>> {
  const trees = new Set<string>();
  for (const version of await listContents(app, skill.id, 0))
    trees.add(await contentTreeOfVersion(app, skill, version));
  return trees;
}

/** Versions after a number that have been current, newest first. */
export async function exportedSince(
  app: App,
  skill: LocatedSkill,
  number: number,
): Promise<readonly LaterVersion[]> {
  const later: LaterVersion[] = [];
  for (const row of await listContents(app, skill.id, number)) {
    if (row.prerelease) continue;
    const contentTree = await contentTreeOfVersion(app, skill, row);
    later.push({ version: row.version, contentTree, isImported: row.source === "import" });
  }
  return later;
}

async function contentTreeOfVersion(
  app: App,
  { tenantId, id, type }: LocatedSkill,
  { oid, format }: Pick<VersionDoc, "oid" | "format">,
): Promise<string> {
  const repo = { tenantId, skillId: id };
  if (format === "package") return contentTreeOf(await listExported(app, repo, oid));
  const root = await app.repos.readFile(repo, oid, type === "rule" ? "RULE.md" : "SKILL.md");
  if (!root) throw new Error(`the version ${oid} of skill ${id} has no root file`);
  return contentTreeOfText(type, root.data);
}

/** Files of a version without those that are left out: versions of earlier releases may have them. */
const listExported = async (app: App, repo: RepoId, oid: string) =>
  keepByName(await app.repos.listFiles(repo, oid));

async function authorOfCurrent(app: App, { id, current }: LocatedSkill): Promise<VersionDoc["author"]> {
  return (await findVersionOf(app, id, current.version))?.author ?? null;
}
