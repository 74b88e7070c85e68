/**
 * `~/.svc/cache/<skill>/`: the installed version as downloaded, and the rendered files that links lead to.
 * `meta.json` is written before a change, with the new digests as pending, and after it: this distinguishes an
 * interrupted run from an edit through a link.
 */
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestPayload } from "../../contract/payloads/skills.ts";
import type { ContentFormat, SkillType, Target } from "../../contract/vocabulary.ts";
import { hasCode } from "../errors.ts";
import { digestOfFiles, digestOfPath, digestOfText } from "../install/digest.ts";
import { moveIntoPlace, writeWhole } from "../install/files.ts";
import type { StatePaths } from "./paths.ts";

export interface CacheMeta {
  publicId: string;
  slug: string;
  name: string;
  description: string;
  type: SkillType;
  format: ContentFormat;
  version: number;
  semver: string;
  /** The service's content digest of the version. */
  hash: string;
  /** By entry of the cache folder: `raw.md`, `pkg`, and one per target that links lead to. */
  digests: Record<string, string>;
  /** The digests of a change in progress. */
  pending?: Record<string, string>;
}

/** The content of one version; a package is unpacked in a folder that may be renamed. */
export type VersionContent =
  | {
      format: "markdown";
      body: string;
      /** The part before the body in the version's SKILL.md; absent if the service has no digest of it. */
      frontmatter?: string;
    }
  | { format: "package"; folder: string; manifest: ManifestPayload };

export interface RenderedFile {
  target: Target;
  file: string;
  text: string;
}

export type CacheState = "intact" | "missing" | "interrupted" | "edited";

export function cacheFolder(paths: StatePaths, installName: string): string {
  return join(paths.cache, installName);
}

/** The target of a tool's links. */
export function cachedPackage(folder: string): string {
  return join(folder, "pkg");
}

/** The state of a skill's cache. Unreadable files count as missing, since they can be downloaded again. */
export async function inspectCache(
  folder: string,
): Promise<{ meta: CacheMeta | undefined; state: CacheState }> {
  const meta = await readMeta(folder);
  if (meta === undefined) return { meta, state: "missing" };
  const settled = meta.pending === undefined;
  const names = new Set([...Object.keys(meta.digests), ...Object.keys(meta.pending ?? {})]);
  let missing = false;
  for (const name of names) {
    const actual = await digestOfPath(join(folder, name));
    if (actual === undefined || actual === digestOfFiles([])) missing = true;
    else if (actual !== meta.digests[name] && actual !== meta.pending?.[name])
      return { meta, state: "edited" };
  }
  return { meta, state: settled ? (missing ? "missing" : "intact") : "interrupted" };
}

async function readMeta(folder: string): Promise<CacheMeta | undefined> {
  try {
    const meta = JSON.parse(await readFile(join(folder, "meta.json"), "utf8")) as Partial<CacheMeta> | null;
    return typeof meta?.digests === "object" && typeof meta.hash === "string"
      ? (meta as CacheMeta)
      : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Updates the cache to exactly this version and these rendered files. */
export async function writeCache(
  folder: string,
  about: Omit<CacheMeta, "digests" | "pending">,
  content: VersionContent,
  rendered: readonly RenderedFile[],
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await readMeta(folder);
  const next: Record<string, string> = Object.fromEntries(
    rendered.map(({ target, file, text }) => [
      target,
      digestOfFiles([{ path: file, sha256: digestOfText(text) }]),
    ]),
  );
  if (content.format === "markdown") next["raw.md"] = digestOfText(content.body);
  else next["pkg"] = digestOfFiles(content.manifest.files);

  const saveMeta = (meta: CacheMeta) =>
    writeWhole(join(folder, "meta.json"), `${JSON.stringify(meta, undefined, 2)}\n`);
  await saveMeta({ ...about, digests: before?.digests ?? {}, pending: next });
  if (content.format === "markdown") {
    await writeWhole(join(folder, "raw.md"), content.body);
  } else {
    await moveIntoPlace(content.folder, cachedPackage(folder));
    await writeFile(join(folder, "manifest.json"), `${JSON.stringify(content.manifest, undefined, 2)}\n`);
  }
  for (const { target, file, text } of rendered) {
    // Inside the folder, so that links to it and watchers of it stay valid.
    const targetFolder = join(folder, target);
    await writeWhole(join(targetFolder, file), text);
    for (const name of await readdir(targetFolder))
      if (name !== file) await rm(join(targetFolder, name), { recursive: true, force: true });
  }
  await saveMeta({ ...about, digests: next });
  const kept = new Set([
    "meta.json",
    ...Object.keys(next),
    ...(content.format === "package" ? ["manifest.json"] : []),
  ]);
  for (const name of await readdir(folder))
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

export async function purgeCache(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
