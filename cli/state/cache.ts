/**
 * `~/.svc/cache/<skill>/`: the version that user-level installs follow, as downloaded, and the rendered files that
 * links lead to. Below it, `versions/<version>-<digest>/` has the same for each version that projects have, so that an
 * install at the user level or in one project changes nothing in another project.
 *
 * `meta.json` is written before a change, with the new digests as pending, and after it: this distinguishes an
 * interrupted run from an edit through a link.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestPayload } from "../../contract/payloads/skills/skills.ts";
import type { ContentFormat, SkillType, Target } from "../../contract/vocabulary.ts";
import { hasCode } from "../errors.ts";
import { digestOfFiles, digestOfPath, digestOfText } from "../install/locations/digest.ts";
import { writeReplaceable } from "./atomic.ts";
import type { CachedVersion } from "./config.ts";
import { isRecord } from "./is-record.ts";
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
  /** The part before the body in a text's SKILL.md, if the service has sent it. */
  frontmatter?: string;
  /** By entry of the folder: `raw.md`, `pkg`, and the folder of each rendered file that links lead to. */
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

/** The content of one version in the cache. */
export interface ContentFolder {
  path: string;
  /**
   * Below `versions`, for projects. Nothing in it is replaced: a text that is rendered differently, such as under a new
   * description, is added, so that the links of other projects keep theirs.
   */
  isShared: boolean;
}

export type CacheState = "intact" | "missing" | "interrupted" | "edited";

export function cacheFolder(paths: StatePaths, installName: string): string {
  return join(paths.cache, installName);
}

/** Folder of an install's content in the skill's cache folder. */
export function contentFolder(
  cache: string,
  { projectDir, version, hash }: { projectDir?: string } & CachedVersion,
): ContentFolder {
  return projectDir === undefined
    ? { path: cache, isShared: false }
    : { path: join(versionsFolder(cache), versionName({ version, hash })), isShared: true };
}

export function versionsFolder(cache: string): string {
  return join(cache, "versions");
}

export function versionName({ version, hash }: CachedVersion): string {
  return `${version}-${hash.slice(0, 16)}`;
}

/** The target of a tool's links. */
export function cachedPackage(folder: string): string {
  return join(folder, "pkg");
}

/** The folder of a rendered file, relative to its content folder, with `/`. */
export function renderedEntry({ isShared }: ContentFolder, target: Target, text: string): string {
  return isShared ? `${target}/${digestOfText(text).slice(0, 16)}` : target;
}

/**
 * The state of cached content. Unreadable files count as missing, since they can be downloaded again. `linked`: the
 * entries that the installs in question lead to, since content of a project's version may have others; without it, all.
 */
export async function inspectCache(
  folder: string,
  linked?: readonly string[],
): Promise<{ meta: CacheMeta | undefined; state: CacheState }> {
  const meta = await readMeta(folder);
  if (meta === undefined) return { meta, state: "missing" };
  const settled = meta.pending === undefined;
  const recorded = [...Object.keys(meta.digests), ...Object.keys(meta.pending ?? {})];
  const isRelevant = (name: string) => !name.includes("/") || linked === undefined || linked.includes(name);
  const names = new Set(recorded.filter(isRelevant));
  let missing = false;
  for (const name of names) {
    const actual = await digestOfPath(join(folder, name));
    if (actual === undefined || actual === digestOfFiles([])) missing = true;
    else if (actual !== meta.digests[name] && actual !== meta.pending?.[name])
      return { meta, state: "edited" };
  }
  return { meta, state: settled ? (missing ? "missing" : "intact") : "interrupted" };
}

/** Metadata of a content folder; undefined without a readable `meta.json`. */
export async function readMeta(folder: string): Promise<CacheMeta | undefined> {
  try {
    const meta: unknown = JSON.parse(await readFile(join(folder, "meta.json"), "utf8"));
    return isCacheMeta(meta) ? meta : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the fields that the client relies on have their form: a user or a crash may have damaged the file. */
function isCacheMeta(value: unknown): value is CacheMeta {
  if (!isRecord(value)) return false;
  const { digests, pending, hash } = value;
  return typeof hash === "string" && isDigests(digests) && (pending === undefined || isDigests(pending));
}

function isDigests(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((digest) => typeof digest === "string");
}

export async function saveMeta(folder: string, meta: CacheMeta): Promise<void> {
  await writeReplaceable(join(folder, "meta.json"), `${JSON.stringify(meta, undefined, 2)}\n`);
}

export async function purgeCache(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
