/** Skills as a connected repository holds them: their places, and what their current versions are exported as. */
import {
  contentTreeOf,
  contentTreeOfText,
  exportedFile,
  mirrorPath,
  svcRecordFile,
} from "../../../repos/mirror/layout.ts";
import type { MirrorFile } from "../../../repos/mirror/types.ts";
import { hashObject } from "../../../repos/store/objects.ts";
import type { MirroredSkill } from "../../../storage/tenant-skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { App } from "../../app.ts";
import { loadTree } from "../../folders/trees.ts";
import { findVersionOf, listContents } from "../../skills/versions.ts";
import type { MergeBase, ImportQuestions, LaterVersion } from "./plan-types.ts";
import type { ExportedAs } from "./plan-export.ts";
import { refusalOf } from "./refusal.ts";

const listedAtOnce = 1000;
const looksAtMost = 5;

export interface LocatedSkill extends MirroredSkill {
  id: string;
  path: string;
}

/** Every skill of an organization that is not deleted, and where it belongs in the repository. */
export async function listLocatedSkills(app: App, tenantId: string): Promise<LocatedSkill[]> {
  for (let look = 1; ; look++) {
    const skills = await listSkills(app, tenantId);
    // Read after them, it has every folder that they lie in, unless that was emptied and deleted in between.
    const tree = await loadTree(app, tenantId);
    const placed = skills.flatMap((skill) => {
      const folders = skill.folderId === null ? [] : tree.ancestry(skill.folderId).toReversed();
      if (skill.folderId !== null && folders.length === 0) return [];
      const slugs = folders.map(({ slug }) => slug);
      return [{ ...skill, id: skill._id, path: mirrorPath(slugs, skill.slug) }];
    });
    // One that is left out would count as deleted.
    if (placed.length === skills.length) return placed;
    if (look === looksAtMost) throw new Error(`skills of ${tenantId} lie in folders that are not there`);
  }
}

/** Where skills lie in a branch, or belong: what is a folder by that stays one (`Mirror.scan`). */
export function knownPaths(skills: Iterable<{ path: string }>, bases: Iterable<MergeBase>): string[] {
  const known = Array.from(skills, ({ path }) => path);
  for (const { path, strayPath } of bases) known.push(path, ...(strayPath === undefined ? [] : [strayPath]));
  return known;
}

async function listSkills(app: App, tenantId: string): Promise<MirroredSkill[]> {
  const skills: MirroredSkill[] = [];
  for (let after = ""; ;) {
    const rows = await app.storage.tenantSkills.listToMirror(tenantId, after, listedAtOnce);
    skills.push(...rows);
    if (rows.length < listedAtOnce) return skills;
    after = rows.at(-1)!._id;
  }
}

export interface ExportedSkill extends ExportedAs {
  /** Bytes of `.svc.json`. */
  svc: Buffer;
  files(): AsyncIterable<MirrorFile>;
}

/** Skills as they are exported, and what else is asked of them (`plan-types.ts`). */
export interface Exports extends ImportQuestions {
  exported(skillId: string): Promise<ExportedSkill>;
}

/** Reads each skill once for each of its states; `skills` are those of the moment. */
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

/** The directory of a skill's current version: always the same for the same state of the skill. */
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
      for await (const file of app.repos.readFiles(repo, current.oid))
        yield exportedFile(current.format, { path: file.path, mode: file.mode, data: file.data });
    },
  };
}

/** The content trees of all versions that a skill has had. */
async function contentTreesOf(app: App, skill: LocatedSkill): Promise<ReadonlySet<string>> {
  const trees = new Set<string>();
  for (const version of await listContents(app, skill.id, 0))
    trees.add(await contentTreeOfVersion(app, skill, version));
  return trees;
}

/** Versions over a number that have been current, the newest first. */
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
  if (format === "package") return contentTreeOf(await app.repos.listFiles(repo, oid));
  const root = await app.repos.readFile(repo, oid, type === "rule" ? "RULE.md" : "SKILL.md");
  if (!root) throw new Error(`the version ${oid} of skill ${id} has no root file`);
  return contentTreeOfText(type, root.data);
}

async function authorOfCurrent(app: App, { id, current }: LocatedSkill): Promise<VersionDoc["author"]> {
  return (await findVersionOf(app, id, current.version))?.author ?? null;
}
