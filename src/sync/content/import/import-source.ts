/** Directories of a branch as sources of versions, as for a publish. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ContentFormat } from "../../../../contract/vocabulary.ts";
import { planImport as planSource, textOf, withoutManagedHeader } from "../../../../repos/mirror/layout.ts";
import type { DirectoryListing, RemoteSkill } from "../../../../repos/mirror/types.ts";
import type { SkillDoc } from "../../../../storage/skills/skills.ts";
import { ServiceError } from "../../../errors.ts";
import { readPackageSource } from "../../../skills/publish/content/package-source.ts";
import { readTextSource, type VersionSource } from "../../../skills/publish/content/text-source.ts";
import type { SyncContext } from "../context.ts";

/**
 * Opens a directory as the source of a version. Throws `PackageError` or `ServiceError` if it can't become one. Without
 * `format`, the content determines it.
 */
export async function withSource<T>(
  { app, mirror }: Pick<SyncContext, "app" | "mirror">,
  directory: RemoteSkill,
  format: ContentFormat | undefined,
  use: (source: VersionSource) => Promise<T>,
): Promise<T> {
  // In the process of its job, a sync has no other callers.
  const compute = app.compute.by("sync");
  const listing = await mirror.list(directory);
  refuseListed(directory, listing);
  const plan = planSource(listing.files, directory.rootFile, format);
  if (plan.kind === "text") {
    const text = textOf(await mirror.read(plan.file.oid));
    if (text === undefined)
      throw new ServiceError("content_invalid", `${directory.rootFile} is not UTF-8 text.`);
    return use(await readTextSource(compute, withoutManagedHeader(text), plan.type));
  }
  const folder = await mkdtemp(path.join(tmpdir(), "svc-import-"));
  try {
    const zip = path.join(folder, "package.zip");
    const replaced = new Map<string, Buffer>();
    const root = plan.stripHeader ? textOf(await mirror.read(plan.rootFile.oid)) : undefined;
    if (root !== undefined) replaced.set(plan.rootFile.path, Buffer.from(withoutManagedHeader(root)));
    await mirror.writeZip(listing.files, zip, replaced);
    return await use(await readPackageSource(compute, zip, { isExact: true }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether only the managed header differs from the current version. The header is not part of a version. */
export async function isHeaderOnly(
  { app, mirror }: Pick<SyncContext, "app" | "mirror">,
  directory: RemoteSkill,
  skill: SkillDoc,
): Promise<boolean> {
  if (skill.current.format !== "markdown") return false;
  const { files, refused } = await mirror.list(directory);
  const [only, ...others] = files;
  if (!only || others.length > 0 || refused.length > 0) return false;
  const repo = { tenantId: skill.tenantId, skillId: skill._id };
  const [there, here] = await Promise.all([
    mirror.read(only.oid),
    app.repos.readFile(repo, skill.current.oid, directory.rootFile),
  ]);
  const text = textOf(there);
  return (
    text !== undefined && here !== undefined && withoutManagedHeader(text) === here.data.toString("utf8")
  );
}

/** Whether the root file of a directory is that of the skill's type. */
export const isOfType = ({ rootFile }: RemoteSkill, { type }: Pick<SkillDoc, "type">): boolean =>
  (rootFile === "RULE.md") === (type === "rule");

export function refuseOtherType(directory: RemoteSkill, { type }: SkillDoc): void {
  const { path: place, rootFile } = directory;
  if (!isOfType(directory, { type }))
    throw new ServiceError(
      "refused",
      `${place} holds a ${rootFile}, but the skill is a ${type}: a skill keeps its type.`,
    );
}

function refuseListed(directory: RemoteSkill, { refused }: DirectoryListing): void {
  const [first] = refused;
  if (!first) return;
  const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : "";
  throw new ServiceError(
    "content_invalid",
    `${directory.path}/${first.path}: ${first.message}${more}`.slice(0, 1000),
  );
}
