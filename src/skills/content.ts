/** Reads of a version's bytes. Everything goes by commit id from MongoDB, so a ref that lags changes nothing. */
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { limits } from "../../contract/limits.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { App } from "../app.ts";
import { notFound } from "../errors.ts";
import { bodyOf } from "./frontmatter.ts";
import { rootFileOf } from "./text-source.ts";

/** The text of a version: without its frontmatter for a single file, a package's SKILL.md as it is. */
export async function readContent(app: App, skill: SkillDoc, version: VersionDoc): Promise<string> {
  const isText = version.format === "markdown";
  const file = await readVersionFile(app, version, isText ? rootFileOf(skill.type) : "SKILL.md");
  if (!isText) return file.toString("utf8");
  const body = bodyOf(file.toString("utf8"));
  // A package's digest is checked when its zip is made; a text is small enough to be checked each time.
  if (createHash("sha256").update(body).digest("hex") !== version.hash) {
    throw new Error(`the text of version ${version._id} is not the one that was published`);
  }
  return body;
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

/** A version as a zip with the same bytes each time; made and verified once, then read from disk. */
export async function openPackage(
  app: App,
  version: VersionDoc,
): Promise<{ size: number; stream: Readable }> {
  return app.repos.openZip(repoOf(version), version.oid, version.digest);
}

export function repoOf(version: { tenantId: string; skillId: string }): {
  tenantId: string;
  skillId: string;
} {
  return { tenantId: version.tenantId, skillId: version.skillId };
}

/** A file small enough to be compared or shown, with its path; undefined when it is not. */
export async function readSmallFile(
  app: App,
  version: VersionDoc,
  path: string,
): Promise<Buffer | undefined> {
  const file = await app.repos.readFile(repoOf(version), version.oid, path);
  return file && file.data.length <= limits.inlineFileBytes ? file.data : undefined;
}

/** Only types that a browser shows without running anything; everything else is bytes to save. */
function mediaTypeOf(path: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  const types: Record<string, string> = {
    md: "text/markdown; charset=utf-8",
    txt: "text/plain; charset=utf-8",
    json: "application/json",
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
  };
  return types[ending ?? ""] ?? "application/octet-stream";
}
