/** Reads a version's bytes by the commit id in its row, so an outdated ref has no effect. */
import type { Readable } from "node:stream";
import { limits } from "../../../contract/limits.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { splitStored } from "../frontmatter.ts";
import { rootFileOf } from "../publish/content/text-source.ts";
import { cachedPackage, cachedText, type Package } from "../versions/version-cache.ts";

export interface VersionText {
  /** Text without its frontmatter, or the complete SKILL.md of a package. */
  content: string;
  /** Everything before it in the version's file. */
  frontmatter?: string;
}

/** The text of a version. */
export async function readText(app: App, skill: SkillDoc, version: VersionDoc): Promise<VersionText> {
  const isText = version.format === "markdown";
  const file = await readVersionFile(app, version, isText ? rootFileOf(skill.type) : "SKILL.md");
  const text = file.toString("utf8");
  if (!isText) return { content: text };
  // The digest of a package is verified when its zip is created; a text is small enough to verify on each read.
  const stored = splitStored(text, version.hash);
  if (!stored) throw new Error(`the text of version ${version._id} is not the one that was published`);
  return { content: stored.body, frontmatter: stored.head };
}

/** The fields of a content response that depend on the version alone, as the JSON between its braces. */
export function readContentFields(app: App, skill: SkillDoc, version: VersionDoc): Promise<string> {
  return cachedText(version._id, async () => {
    const { format, semver, hash } = version;
    const text = await readText(app, skill, version);
    return JSON.stringify({ format, ...text, version: version.version, semver, hash }).slice(1, -1);
  });
}

export async function readContent(app: App, skill: SkillDoc, version: VersionDoc): Promise<string> {
  return (await readText(app, skill, version)).content;
}

async function readVersionFile(app: App, version: VersionDoc, path: string): Promise<Buffer> {
  const file = await app.repos.readFile(repoOf(version), version.oid, path);
  if (!file) throw new Error(`commit ${version.oid} has no ${path}`);
  return file.data;
}

export interface OpenedVersionFile {
  /** In memory for small files, a stream for large ones. */
  body: Buffer | Readable;
  size: number;
  oid: string;
  type: string;
}

/** One file of a version. Throws `not_found`. */
export async function openVersionFile(
  app: App,
  version: VersionDoc,
  path: string,
): Promise<OpenedVersionFile> {
  const opened = await app.repos.openFile(repoOf(version), version.oid, path);
  if (!opened) throw notFound("path", path);
  return { body: opened.stream, size: opened.size, oid: opened.oid, type: mediaTypeOf(path) };
}

/** A version as a reproducible zip; created and verified once, then read from memory or disk. */
export function openPackage(app: App, version: VersionDoc): Promise<Package> {
  return cachedPackage(version._id, () => app.repos.openZip(repoOf(version), version.oid, version.digest));
}

export function repoOf(version: { tenantId: string; skillId: string }): {
  tenantId: string;
  skillId: string;
} {
  return { tenantId: version.tenantId, skillId: version.skillId };
}

/** A file of at most `limits.inlineFileBytes`; undefined if it is larger or missing. */
export async function readSmallFile(
  app: App,
  version: VersionDoc,
  path: string,
): Promise<Buffer | undefined> {
  const file = await app.repos.readFile(repoOf(version), version.oid, path);
  return file && file.data.length <= limits.inlineFileBytes ? file.data : undefined;
}

/** The one type of picture that may contain scripts. */
export const svgType = "image/svg+xml";

/** Only types that a browser displays without executing anything; other files are downloads. */
const mediaTypes = new Map([
  ["md", "text/markdown; charset=utf-8"],
  ["txt", "text/plain; charset=utf-8"],
  ["json", "application/json"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["avif", "image/avif"],
  ["svg", svgType],
]);

export function mediaTypeOf(path: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  return mediaTypes.get(ending ?? "") ?? "application/octet-stream";
}
