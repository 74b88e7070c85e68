/** Checks of the client's state in `~/.svc`. They change nothing, other than a temporary file that is removed. */
import type { Stats } from "node:fs";
import { access, constants, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { hasCode, messageOf } from "../errors.ts";
import { temporaryName } from "../state/atomic.ts";
import { type Config, readConfigFile } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { type Check, failed, ok, warning } from "./check.ts";

/** Permissions of others than the owner. */
const others = { any: 0o077, write: 0o022 };

export async function checkStateFolder(context: Context): Promise<Check> {
  const name = "state-folder";
  const { root } = statePaths(context.home);
  const info = await stat(root).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (info === undefined) {
    await access(context.home, constants.W_OK | constants.X_OK);
    return ok(name, `${root} does not exist yet.`);
  }
  if (!info.isDirectory())
    return failed(name, `${root} is not a folder.`, `Rename ${root}: svc creates the folder.`);
  const foreign = foreignOwner(name, root, info);
  try {
    await probeWrite(root);
  } catch (error) {
    if (foreign === undefined) throw error;
    return { ...foreign, status: "failed" };
  }
  if (foreign !== undefined) return foreign;
  const mode = modeOf(context, info);
  if ((mode & others.write) !== 0)
    return failed(name, `Other users can change ${root} (mode ${octal(mode)}).`, `Run chmod 700 ${root}.`);
  if ((mode & others.any) !== 0)
    return warning(name, `Other users can read ${root} (mode ${octal(mode)}).`, `Run chmod 700 ${root}.`);
  return ok(name, `${root} is writable, by you only.`);
}

/** Detects full disks and read-only file systems, too. */
async function probeWrite(folder: string): Promise<void> {
  const probe = temporaryName(join(folder, "doctor"), "new");
  try {
    const file = await open(probe, "wx", 0o600);
    try {
      await file.writeFile("svc doctor\n");
    } finally {
      await file.close();
    }
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** The check, and the configuration if it can be used. A damaged file is left as it is. */
export async function checkConfig(context: Context): Promise<{ check: Check; config: Config | undefined }> {
  const name = "config";
  const paths = statePaths(context.home);
  const path = paths.config;
  try {
    const reading = await readConfigFile(paths);
    if (!("config" in reading)) {
      const remedy =
        "Restore it from a backup, or run svc login: the next change keeps it under another name.";
      return { check: failed(name, `${path} is damaged: ${reading.damaged}.`, remedy), config: undefined };
    }
    return { check: await checkConfigMode(context, path), config: reading.config };
  } catch (error) {
    const remedy = `Make ${path} readable for you, or install the newest svc if a newer one has written it.`;
    return { check: failed(name, messageOf(error), remedy), config: undefined };
  }
}

async function checkConfigMode(context: Context, path: string): Promise<Check> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return ok("config", `${path} does not exist yet: svc works with its defaults.`);
  const foreign = foreignOwner("config", path, info);
  if (foreign !== undefined) return foreign;
  const mode = modeOf(context, info);
  if ((mode & others.any) === 0) return ok("config", `${path} is readable, by you only.`);
  const problem = `Other users have access to ${path}, which may contain your token (mode ${octal(mode)}).`;
  return warning(
    "config",
    problem,
    `Run chmod 600 ${path}; if others have used this machine, revoke the token.`,
  );
}

/** State that `sudo svc` has left, for example. */
function foreignOwner(name: string, path: string, { uid }: Stats): Check | undefined {
  const own = process.getuid?.();
  if (own === undefined || uid === own) return undefined;
  const problem = `${path} belongs to another user (${uid}; you are ${own}).`;
  return warning(name, problem, `Run svc as that user, or as an administrator: chown -R ${own} ${path}.`);
}

/** Windows has no such permissions. */
function modeOf({ platform }: Context, { mode }: Stats): number {
  return platform === "win32" ? 0 : mode & 0o777;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, "0");
}
