/** Content that is made from an earlier version by changing single files. All other files keep their blobs. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { canonicalContent, checkPackagePaths } from "../../../../contract/checks/package-rules.ts";
import type { FrontmatterDefaults } from "../../../../contract/checks/skill-rules.ts";
import type { FileEntry, TreeFile } from "../../../../repos/store/index.ts";
import type { SkillDoc } from "../../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../../access/actor.ts";
import type { App } from "../../../app.ts";
import type { CallerCompute } from "../../../compute/compute.ts";
import { readText } from "../../../compute/read-text.ts";
import { ServiceError } from "../../../errors.ts";
import { repoOf } from "../../read/content.ts";
import { filesOf } from "../../read/manifest.ts";
import type { FileChange } from "./edit-schema.ts";
import { decodeText, describePackage, rootFile } from "./package-source.ts";
import { readTextSource, rootFileOf, type VersionSource } from "./text-source.ts";

/**
 * Reads the content of a new version. Only values of the frontmatter that the edit changes apply to the skill: an edit
 * of another file leaves the description and tags as they are. Throws `content_invalid`, or `PackageError`.
 */
export async function readEditedSource(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  base: VersionDoc,
  changes: readonly FileChange[],
): Promise<VersionSource> {
  const compute = app.compute.by(actorKey(actor));
  const root = base.format === "package" ? rootFile : rootFileOf(skill.type);
  const stored = await app.repos.readFile(repoOf(base), base.oid, root);
  if (!stored) throw new Error(`commit ${base.oid} has no ${root}`);
  const source =
    base.format === "package"
      ? await editPackage(app, compute, base, changes, stored.data)
      : await editText(compute, skill, base, changes, root);
  const before = await readText(compute, stored.data.toString("utf8"), base.format);
  return { ...source, defaults: changedDefaults(before.defaults, source.defaults) };
}

/** Description and tags that one frontmatter has and another has not. */
export function changedDefaults(
  before: FrontmatterDefaults,
  { description, tags }: FrontmatterDefaults,
): Pick<FrontmatterDefaults, "description" | "tags"> {
  return {
    description: description === undefined || description === before.description ? undefined : description,
    tags: tags === undefined || isDeepStrictEqual(tags, before.tags) ? undefined : tags,
  };
}

function editText(
  compute: CallerCompute,
  skill: SkillDoc,
  base: VersionDoc,
  changes: readonly FileChange[],
  root: string,
): Promise<VersionSource> {
  const [change] = changes;
  const bytes = change && bytesOf(change);
  if (changes.length !== 1 || change?.path !== root || bytes === undefined || change.mode === "100755")
    throw unusable(
      root,
      `"${skill.slug}" is a single text at version ${base.semver}: change the content of ${root} only, ` +
        "or publish a folder with more files.",
    );
  return readTextSource(compute, decodeText(bytes, root), skill.type);
}

async function editPackage(
  app: App,
  compute: CallerCompute,
  base: VersionDoc,
  changes: readonly FileChange[],
  storedRoot: Buffer,
): Promise<VersionSource> {
  const kept = await entriesOf(app, base);
  const files = new Map<string, TreeFile>();
  for (const change of changes) {
    const { path } = change;
    const old = kept.get(path);
    const data = bytesOf(change);
    if (data !== undefined) {
      kept.delete(path);
      files.set(path, { path, data, mode: change.mode ?? old?.mode ?? "100644" });
      continue;
    }
    if (!old)
      throw unusable(path, `"${path}" is not a file of version ${base.semver}: leave it out of the changes.`);
    if (change.delete) kept.delete(path);
    else kept.set(path, { ...old, mode: change.mode ?? old.mode });
  }
  checkPackagePaths([...kept.keys(), ...files.keys()], { rootFile });
  const root = files.get(rootFile)?.data ?? storedRoot;
  return packageOf(compute, [...kept.values()], [...files.values()], root);
}

/** A package of the given files. Throws `content_invalid`, `PackageError`, or as `CallerCompute`. */
export async function readFilesSource(
  compute: CallerCompute,
  files: readonly TreeFile[],
): Promise<VersionSource> {
  checkPackagePaths(
    files.map(({ path }) => path),
    { rootFile },
  );
  return packageOf(compute, [], files, files.find(({ path }) => path === rootFile)!.data);
}

async function packageOf(
  compute: CallerCompute,
  kept: readonly FileEntry[],
  files: readonly TreeFile[],
  root: Buffer,
): Promise<VersionSource> {
  const digest = digestOf(kept, files);
  return {
    ...(await describePackage(compute, root)),
    format: "package",
    contentHash: async () => digest,
    equals: async (current) => current.format === "package" && current.digest === digest,
    tree: async () => ({ source: { kind: "edit", kept, files } }),
  };
}

/** Files of a version by path, with their blobs and digests. */
async function entriesOf(app: App, base: VersionDoc): Promise<Map<string, FileEntry>> {
  const [tree, files] = await Promise.all([app.repos.listFiles(repoOf(base), base.oid), filesOf(app, base)]);
  const digests = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  return new Map(
    tree.map((file) => {
      const sha256 = digests.get(file.path);
      if (sha256 === undefined) throw new Error(`the manifest of version ${base._id} lacks a file`);
      return [file.path, { ...file, sha256 }];
    }),
  );
}

function digestOf(kept: readonly FileEntry[], files: readonly TreeFile[]): string {
  const fresh = files.map(({ path, mode, data }) => ({ path, mode, sha256: sha256Of(data) }));
  return sha256Of(canonicalContent([...kept, ...fresh]));
}

const sha256Of = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");

/** The bytes that a change sends; undefined for one that removes a file or sets its mode only. */
export function bytesOf({
  content,
  contentBase64,
}: Pick<FileChange, "content" | "contentBase64">): Buffer | undefined {
  if (content !== undefined) return Buffer.from(content);
  return contentBase64 === undefined ? undefined : Buffer.from(contentBase64, "base64");
}

function unusable(path: string, message: string): ServiceError {
  return new ServiceError("content_invalid", message, { kind: "path", ref: path });
}
