/** Finds the repository or folder from which a skill is published (`contract/package/content-location.ts`). */
import { createHmac } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isContentLocation } from "../../contract/package/content-location.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { rootFile } from "../pack/skill-folders.ts";
import { randomHex } from "../state/atomic.ts";
import { readConfig } from "../state/read-config.ts";
import { changeConfig } from "../state/state.ts";

/**
 * Content location of a path. The path of a folder without a remote is sent as an HMAC only; undefined if its key can't
 * be stored, and in CI, where folders have no lasting path.
 */
export async function findContentLocation(context: Context, path: string): Promise<string | undefined> {
  const full = await realpath(resolve(context.cwd, path)).catch(() => undefined);
  if (full === undefined) return undefined;
  // A package and its SKILL.md are the same skill.
  const location = basename(full) === rootFile ? dirname(full) : full;
  const remote = await remoteLocation(location);
  if (remote !== undefined) return remote;
  if (context.env["CI"]) return undefined;
  const key = await folderKey(context);
  if (key === undefined) return undefined;
  return `folder:${createHmac("sha256", key).update(location).digest("hex").slice(0, 32)}`;
}

async function remoteLocation(location: string): Promise<string | undefined> {
  for (let top = location; ; top = dirname(top)) {
    const config = await gitConfigOf(join(top, ".git"));
    if (config !== undefined) {
      const url = remoteUrl(config);
      const remote = url === undefined ? undefined : normalizedRemote(url);
      return remote === undefined ? undefined : withDirectory(remote, relative(top, location));
    }
    if (dirname(top) === top) return undefined;
  }
}

function withDirectory(remote: string, directory: string): string | undefined {
  const path = directory.split(sep).filter(Boolean).map(encoded).join("/");
  const contentLocation = `git:${remote}${path === "" ? "" : `#${path}`}`;
  return isContentLocation(contentLocation) ? contentLocation : undefined;
}

/**
 * Text of the repository's configuration, also for a linked work tree or a submodule. It is read without `git`: on
 * Windows a program of that name in the working directory would be run.
 */
async function gitConfigOf(git: string): Promise<string | undefined> {
  const info = await stat(git).catch(() => undefined);
  if (info === undefined) return undefined;
  const text = (path: string) => readFile(path, "utf8").catch(() => undefined);
  const linked = info.isFile() ? /^gitdir: (.+)/.exec((await text(git)) ?? "")?.[1]?.trim() : undefined;
  const folder = linked === undefined ? git : resolve(dirname(git), linked);
  const common = (await text(join(folder, "commondir")))?.trim();
  return (await text(join(common === undefined ? folder : resolve(folder, common), "config"))) ?? "";
}

/** URL of the remote `origin`, or of the first one. */
function remoteUrl(config: string): string | undefined {
  const urls = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split("\n")) {
    const section = /^\s*\[(.*?)\]/.exec(line)?.[1];
    if (section !== undefined) remote = /^remote\s+"(.*)"$/i.exec(section)?.[1];
    const url = /^\s*url\s*=\s*"?([^"\s]+)"?\s*$/i.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !urls.has(remote)) urls.set(remote, url);
  }
  return urls.get("origin") ?? urls.values().next().value;
}

/** Host and path of a remote on another machine, without scheme, user, query and `.git`. */
export function normalizedRemote(url: string): string | undefined {
  const short = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]{2,}):(?!\/\/)\/?(.+)$/.exec(url);
  const full = short ? `ssh://${short[1]}/${short[2]}` : url;
  if (!URL.canParse(full)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(full);
  if (!["https:", "http:", "ssh:", "git:"].includes(protocol) || hostname === "") return undefined;
  const isDefault = port === "" || (protocol === "ssh:" && port === "22");
  const path = pathname
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean)
    .map((segment) => encoded(decoded(segment)));
  return [`${hostname.toLowerCase()}${isDefault ? "" : `:${port}`}`, ...path].join("/");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A segment of a path in ASCII. */
function encoded(segment: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, "\uFFFD")).replace(/[!'()*]/g, hex);
}

/** The key of this machine, created once. */
async function folderKey(context: Context): Promise<string | undefined> {
  try {
    const known = (await readConfig(context)).folderKey;
    if (known !== undefined) return known;
    return await changeConfig(context, async ({ config, save }) => {
      if (config.folderKey === undefined) {
        config.folderKey = randomHex(16);
        await save();
      }
      return config.folderKey;
    });
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
