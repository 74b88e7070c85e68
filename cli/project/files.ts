/** The two files of a project on disk: `svc.json` and `svc.lock`. */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CliError, hasCode, invalidArgument, messageOf, notFound } from "../errors.ts";
import { isInside } from "../install/locations/files.ts";
import { writeAtomic } from "../state/atomic.ts";
import { unusable } from "./json-file.ts";
import { type ProjectLock, parseLock } from "./lock.ts";
import { type ProjectManifest, parseManifest } from "./manifest.ts";

/** Enough for thousands of skills. */
const fileBytes = 4 * 1024 * 1024;

export interface Project {
  folder: string;
  manifestPath: string;
  lockPath: string;
  /** Text of the file; undefined if it does not exist. */
  manifestText: string | undefined;
  lockText: string | undefined;
  manifest: ProjectManifest | undefined;
  lock: ProjectLock | undefined;
}

/** Throws `E_INVALID_ARGUMENT` if one of the files exists and can't be used. */
export async function readProject(folder: string): Promise<Project> {
  const [manifestPath, lockPath] = [join(folder, "svc.json"), join(folder, "svc.lock")];
  const [manifestText, lockText] = [await readText(folder, manifestPath), await readText(folder, lockPath)];
  return {
    folder,
    manifestPath,
    lockPath,
    manifestText,
    lockText,
    manifest: manifestText === undefined ? undefined : parseManifest(manifestText, manifestPath),
    lock: lockText === undefined ? undefined : parseLock(lockText, lockPath),
  };
}

/** Whether a project has a manifest, and therefore a lock. */
export async function hasManifest(folder: string): Promise<boolean> {
  try {
    await lstat(join(folder, "svc.json"));
    return true;
  } catch (error) {
    // In a folder that can't be read, there may be one.
    return !hasCode(error, "ENOENT", "ENOTDIR");
  }
}

async function readText(folder: string, path: string): Promise<string | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) throw unusable(path, "is not a regular file");
    if (info.size > fileBytes) throw unusable(path, `is larger than ${fileBytes} bytes`);
    // A link in a repository could point to any file of the user.
    if (!isInside(await realpath(path), await realpath(folder)))
      throw unusable(path, "is a link that leads out of the project");
    const text = await readFile(path);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (hasCode(error, "ENOENT", "ENOTDIR")) {
      if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
      throw unusable(path, "is a link that leads nowhere");
    }
    throw unusable(
      path,
      hasCode(error, "ERR_ENCODING_INVALID_ENCODED_DATA")
        ? "is not UTF-8 text"
        : `cannot be read: ${messageOf(error)}`,
    );
  }
}

/** Writes the changed ones of the two files atomically. Requires the state's lock, and `readProject` under it. */
export async function writeProject(
  project: Project,
  fresh: { manifestText: string | undefined; lockText: string | undefined },
): Promise<void> {
  // They contain data from the service: a readable lock must not be replaced by one that can't be parsed.
  try {
    if (fresh.lockText !== undefined) parseLock(fresh.lockText, project.lockPath);
  } catch (error) {
    const message = `${project.lockPath} is unchanged: the service returned data that is not valid in a lock.`;
    throw new CliError("E_NETWORK", message, { kind: "content" }, { cause: error });
  }
  // The manifest first: the next `pull` adds what the lock lacks.
  for (const [path, old, text] of [
    [project.manifestPath, project.manifestText, fresh.manifestText],
    [project.lockPath, project.lockText, fresh.lockText],
  ] as const) {
    if (text === undefined || text === old) continue;
    try {
      await writeAtomic(path, text);
    } catch (error) {
      throw new CliError("E_INTERNAL", `${path} cannot be written: ${messageOf(error)}.`, undefined, {
        cause: error,
      });
    }
  }
}

/** A project's folder by its real path. `given` is the path as typed. */
export async function projectFolder(folder: string, given: string): Promise<string> {
  const info = await stat(folder).catch(() => undefined);
  if (info === undefined) throw notFound("path", given, `No folder exists at ${given}.`);
  if (!info.isDirectory())
    throw invalidArgument("--project", `${given} is not a folder.`, { kind: "path", ref: given });
  return realpath(folder).catch(() => folder);
}
