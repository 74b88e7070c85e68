/** Changes the local state, with one writer at a time across processes. */
import { constants, promises as files } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../context.ts";
import { CliError, hasCode, messageOf } from "../errors.ts";
import { onInterrupt, uninterrupted } from "../interrupt.ts";
import { clearLeftovers } from "./atomic.ts";
import { type Config, ensureRoot, readConfigFile, setConfigAside, writeConfigFile } from "./config.ts";
import { type StatePaths, statePaths } from "./paths.ts";

const staleMs = 15_000;
/** Longer than any change under the lock. A stale lock is taken over. */
const lockWaitMs = 90_000;
const dayMs = 24 * 60 * 60_000;

export interface StateChange {
  config: Config;
  paths: StatePaths;
  /** Writes the config as it stands; may be called several times while the lock is held. */
  save: () => Promise<void>;
}

/**
 * Runs `change` with the lock held and the config read under it. Nothing is written unless `save` is called, so a
 * change that throws leaves the file as its last `save` left it.
 */
export async function changeConfig<T>(
  context: Context,
  change: (state: StateChange) => Promise<T>,
): Promise<T> {
  const paths = await requireWritableState(context);
  const { default: lockfile } = await import("proper-lockfile");
  let lost: Error | undefined;
  let release: () => Promise<void>;
  try {
    release = await waitForLock(
      () =>
        lockfile.lock(paths.root, {
          lockfilePath: paths.lock,
          realpath: false,
          stale: staleMs,
          update: staleMs / 3,
          onCompromised: (error) => (lost = error),
        }),
      lockWaitMs,
    );
  } catch (error) {
    throw new CliError(
      "E_INTERNAL",
      hasCode(error, "ELOCKED")
        ? `Another svc keeps ${paths.root} locked. If none is running, remove ${paths.lock}.`
        : `${paths.root} cannot be locked: ${messageOf(error)}.`,
      undefined,
      { cause: error },
    );
  }
  // A signal waits for the end of a change under the lock.
  return uninterrupted(() =>
    changeLocked(context, paths, { isLost: () => lost !== undefined, release }, change),
  );
}

/** Creates `~/.svc` if it is missing. Fails at once where it can't be written, instead of waiting for the lock. */
async function requireWritableState(context: Pick<Context, "home">): Promise<StatePaths> {
  const paths = statePaths(context.home);
  await ensureRoot(paths);
  await checkWritableState(context);
  return paths;
}

/** Checks without creating anything that the result of a command can be stored. Throws `E_INTERNAL`. */
export async function checkWritableState({ home }: Pick<Context, "home">): Promise<void> {
  const { root } = statePaths(home);
  try {
    const info = await files.stat(root).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    });
    if (info?.isDirectory() === false) throw new Error("it is not a folder");
    if (info !== undefined) await files.access(root, constants.W_OK | constants.X_OK);
    else if (await isThere(home)) await files.access(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new CliError("E_INTERNAL", `${root} cannot be written: ${messageOf(error)}.`, undefined, {
      cause: error,
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  return files.stat(path).then(
    () => true,
    () => false,
  );
}

/** Retries while other runs hold the lock. The library's own retries would repeat permanent errors as well. */
export async function waitForLock<T>(lock: () => Promise<T>, waitMs: number): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(250, pauseMs * 1.2)) {
    try {
      return await lock();
    } catch (error) {
      if (!hasCode(error, "ELOCKED") || performance.now() > deadline) throw error;
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

async function changeLocked<T>(
  context: Context,
  paths: StatePaths,
  lock: { isLost: () => boolean; release: () => Promise<void> },
  change: (state: StateChange) => Promise<T>,
): Promise<T> {
  try {
    await clearLeftovers(paths.root);
    const config = await openConfig(context, paths);
    const save = async () => {
      if (lock.isLost())
        throw new CliError("E_INTERNAL", `The lock on ${paths.root} was lost: run the command again.`);
      try {
        await writeConfigFile(paths, config);
      } catch (error) {
        throw new CliError(
          "E_INTERNAL",
          `${paths.config} cannot be written: ${messageOf(error)}.`,
          undefined,
          {
            cause: error,
          },
        );
      }
    };
    return await change({ config, paths, save });
  } finally {
    // A lost lock must not be released.
    if (!lock.isLost()) await lock.release().catch(() => undefined);
  }
}

/** Upgrades the local state if an earlier version of svc wrote it, and renames a damaged config. */
async function openConfig(context: Context, paths: StatePaths): Promise<Config> {
  const reading = await readConfigFile(paths);
  if ("config" in reading) {
    const { config, migrated } = reading;
    if (migrated) {
      const { upgradeLinks } = await import("../install/upgrade-links.ts");
      await upgradeLinks(config, paths);
      await writeConfigFile(paths, config);
    }
    return config;
  }
  // A program would not see the warning that the login is gone.
  if (context.json)
    throw new CliError(
      "E_INTERNAL",
      `${paths.config} is damaged (${reading.damaged}). Repair or remove it, then log in again.`,
    );
  const aside = await setConfigAside(paths, context.now());
  const fresh = await readConfigFile(paths);
  if (!("config" in fresh)) throw new CliError("E_INTERNAL", `${paths.config} cannot be read.`);
  context.output.warn(
    `${paths.config} was damaged (${reading.damaged}) and is kept as ${aside}. Starting with an empty one: ` +
      "log in again.",
  );
  return fresh.config;
}

/** Runs with a new folder under `~/.svc/tmp`, which is removed afterwards; also removes folders of dead runs. */
export async function withTemporaryFolder<T>(
  context: Context,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const paths = await requireWritableState(context);
  let folder: string;
  try {
    await files.mkdir(paths.temporary, { recursive: true, mode: 0o700 });
    folder = await files.mkdtemp(join(paths.temporary, "run-"));
  } catch (error) {
    throw new CliError(
      "E_INTERNAL",
      `${paths.temporary} cannot be written: ${messageOf(error)}.`,
      undefined,
      {
        cause: error,
      },
    );
  }
  const clear = () => files.rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const forget = onInterrupt(clear);
  try {
    return await work(folder);
  } finally {
    forget();
    await clear();
    await sweep(paths.temporary, context.now());
  }
}

async function sweep(folder: string, now: Date): Promise<void> {
  for (const name of await files.readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const info = await files.stat(path).catch(() => undefined);
    if (info !== undefined && now.getTime() - info.mtimeMs > dayMs)
      await files.rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
