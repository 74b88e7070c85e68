/** Findings about versions: their ids are stored with the version, the rest is found again from its files. */
import { LRUCache } from "lru-cache";
import type { SkillText } from "../../../contract/checks/skill-rules.ts";
import type { RepoId, TreeSource, WrittenCommit } from "../../../repos/store/index.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc, VersionFindings } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { SkillKind } from "../../compute/pieces/plan-lint.ts";
import { repoOf } from "../read/content.ts";
import { lintFiles, type FileToLint, type Found } from "./lint.ts";

/** Versions never change. */
const cached = new LRUCache<string, Found[]>({
  maxSize: 20_000,
  sizeCalculation: (found) => found.length + 1,
});

export async function findingsOf(
  app: App,
  actor: Actor,
  skill: Pick<SkillDoc, "type">,
  version: VersionDoc,
): Promise<Found[]> {
  const known = cached.get(version._id);
  if (known) return known;
  const listed = await app.repos.listFiles(repoOf(version), version.oid);
  const files = filesToLint(app, repoOf(version), version.oid, listed);
  const kind = { format: version.format, type: skill.type };
  const found = await lintFiles(app.compute.by(actorKey(actor)), files, kind);
  cached.set(version._id, found);
  return found;
}

/**
 * Findings of a commit that becomes a version; undefined if they can't be read, since a publish must not fail by them.
 * `source`: what the commit was written from. Files that it has in memory are not read back.
 */
export async function lintCommit(
  app: App,
  actor: Actor,
  repo: RepoId,
  written: WrittenCommit,
  source: TreeSource,
  kind: SkillKind,
): Promise<VersionFindings | undefined> {
  const known = source.kind === "zip" ? [] : source.files;
  const inMemory = new Map(known.map(({ path, data }) => [path, data]));
  return countFindings(app, actor, repo, filesToLint(app, repo, written.oid, written.files, inMemory), kind);
}

/** Findings of a text in memory, whose commit need not be written yet. `text`: how its file reads. */
export async function lintText(
  app: App,
  actor: Actor,
  repo: RepoId,
  { files }: TreeSource & { kind: "files" },
  text: SkillText,
  kind: SkillKind,
): Promise<VersionFindings | undefined> {
  const toLint = files.map(({ path, data }) => ({ path, size: data.length, read: () => data, text }));
  return countFindings(app, actor, repo, toLint, kind);
}

async function countFindings(
  app: App,
  actor: Actor,
  repo: RepoId,
  files: readonly FileToLint[],
  kind: SkillKind,
): Promise<VersionFindings | undefined> {
  try {
    const found = await lintFiles(app.compute.by(actorKey(actor)), files, kind);
    return {
      errors: found.filter(({ severity }) => severity === "error").length,
      warnings: found.filter(({ severity }) => severity === "warning").length,
      ids: found.map(({ id }) => id),
    };
  } catch (error) {
    app.log.error({ error, ...repo }, "the findings of a version could not be read");
    return undefined;
  }
}

function filesToLint(
  app: App,
  repo: RepoId,
  oid: string,
  files: readonly { path: string; size: number }[],
  inMemory: ReadonlyMap<string, Buffer> = new Map(),
): FileToLint[] {
  return files.map(({ path, size }) => ({
    path,
    size,
    async read() {
      const data = inMemory.get(path);
      if (data) return data;
      const file = await app.repos.readFile(repo, oid, path);
      if (!file) throw new Error(`commit ${oid} has lost a file`);
      return file.data;
    },
  }));
}

/** The first version with each finding, among those up to a version. */
export async function firstSeen(
  app: App,
  skill: SkillDoc,
  version: VersionDoc,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const first = await app.storage.versions.findFirstWith(skill._id, version.version, ids);
  for (const row of skill.pending)
    for (const id of row.version <= version.version ? (row.findings?.ids ?? []) : [])
      if (!(first.get(id)! <= row.version)) first.set(id, row.version);
  return first;
}
