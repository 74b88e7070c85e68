/** Files of a version with sizes and digests. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ManifestFile, ManifestPayload } from "../../../contract/payloads/skills/skills.ts";
import type { WrittenCommit } from "../../../repos/store/index.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";

/** Stores a package's file list before the version exists. For a text, the list is read from its commit. */
export async function recordManifestOf(app: App, row: VersionDoc, written: WrittenCommit): Promise<void> {
  if (row.format !== "package") return;
  const files = written.files.map(({ path, mode, size, sha256 }) => ({ path, mode, size, sha256 }));
  await app.storage.versions.recordManifest({ _id: row._id, skillId: row.skillId, files });
}

export async function readManifest(app: App, skill: SkillDoc, version: VersionDoc): Promise<ManifestPayload> {
  return {
    name: skill.slug,
    description: version.description,
    version: version.version,
    semver: version.semver,
    format: version.format,
    commit: version.oid,
    hash: version.hash,
    files: await filesOf(app, version),
  };
}

/** Files by version, which never change. */
const cachedFiles = new LRUCache<string, ManifestFile[]>({
  maxSize: 50_000,
  sizeCalculation: (files) => files.length + 1,
});

export async function filesOf(app: App, version: VersionDoc): Promise<ManifestFile[]> {
  const cached = cachedFiles.get(version._id);
  if (cached) return cached;
  const files = await readFilesOf(app, version);
  cachedFiles.set(version._id, files);
  return files;
}

async function readFilesOf(app: App, version: VersionDoc): Promise<ManifestFile[]> {
  const stored = await app.storage.versions.findManifest(version._id);
  if (stored) return stored.files;
  const files: ManifestFile[] = [];
  for await (const file of app.repos.readFiles(
    { tenantId: version.tenantId, skillId: version.skillId },
    version.oid,
  )) {
    const sha256 = createHash("sha256").update(file.data).digest("hex");
    files.push({ path: file.path, mode: file.mode, size: file.data.length, sha256 });
  }
  return files;
}
