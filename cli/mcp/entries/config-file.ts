/**
 * Reads and replaces the configuration files of tools. A file that svc can't edit safely is left as it is, with the
 * reason as an `UnusableFile`.
 */
import { access, constants, lstat, mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../../errors.ts";
import { readTextFile } from "../../install/locations/files.ts";
import { realLocation } from "../../install/locations/same-location.ts";
import { checkInsideProject, findBlockingFile } from "../../install/plan/destination.ts";
import { clearLeftovers, writeAtomic } from "../../state/atomic.ts";
import { waitForLock } from "../../state/state.ts";
import { UnusableFile } from "../edit/text.ts";

export interface ConfigText {
  /** The file behind links. */
  real: string;
  /** Undefined if there is none. */
  text: string | undefined;
}

/** No tool's file is as large; parsing one would block for seconds. */
const maxBytes = 32 * 1024 * 1024;
/** How often another program may change the file between reading and replacing it. */
const attempts = 5;
const privateMode = 0o600;
/** Longer than the time after which the lock of a dead program is taken over. */
const fileWaitMs = 20_000;

/** `projectDir`: a link must not lead out of this folder. */
export async function readConfigText(path: string, projectDir: string | undefined): Promise<ConfigText> {
  const outside = await checkInsideProject({ path, shape: "section" }, projectDir);
  if (outside !== undefined) throw new UnusableFile(outside.refused.replace(`${path} `, "it "));
  try {
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && info.size > maxBytes) throw new Error("it is larger than 32 MB");
    const text = await readTextFile(path);
    if (text === undefined && (await lstat(path).catch(() => undefined)) !== undefined)
      throw new Error("it is a link that leads nowhere");
    return { real: await realLocation(path, "section"), text };
  } catch (error) {
    throw new UnusableFile(messageOf(error).replace(`${path}: `, ""));
  }
}

/**
 * Replaces the content by that which `edit` returns, under a lock that other programs may use as well. `edit` runs
 * again if another program has changed the file. Nothing is written if the content is the same; `undefined` removes the
 * file.
 */
export async function updateConfigText(
  path: string,
  projectDir: string | undefined,
  edit: (text: string | undefined) => string | undefined,
): Promise<void> {
  const { real } = await readConfigText(path, projectDir);
  await requireWritable(real);
  await mkdir(dirname(real), { recursive: true });
  await whileLocked(real, async () => {
    await clearLeftovers(dirname(real));
    for (let attempt = 1; ; attempt++) {
      const { text } = await readConfigText(path, projectDir);
      const edited = edit(text);
      if (edited === text) return;
      const mode = (await stat(real).catch(() => undefined))?.mode;
      if ((await readConfigText(path, projectDir)).text === text) {
        if (edited === undefined) await rm(real);
        else await writeAtomic(real, edited, mode === undefined ? privateMode : mode & 0o7777);
        return;
      }
      if (attempt === attempts) throw new UnusableFile("another program keeps changing it: try again");
    }
  });
}

/** An atomic write would replace a file that its owner has protected. */
async function requireWritable(real: string): Promise<void> {
  const blocking = await findBlockingFile(real);
  if (blocking !== undefined) throw new UnusableFile(blocking);
  const info = await stat(real).catch(() => undefined);
  if (info === undefined) return;
  const isWritable =
    (info.mode & 0o222) !== 0 &&
    (await access(real, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (!isWritable) throw new UnusableFile("it is read-only");
}

/** The lock has the name that Claude Code and other users of the library give it, so that they wait for each other. */
async function whileLocked(real: string, work: () => Promise<void>): Promise<void> {
  const { default: lockfile } = await import("proper-lockfile");
  let release: () => Promise<void>;
  try {
    release = await waitForLock(
      () => lockfile.lock(real, { realpath: false, onCompromised() {} }),
      fileWaitMs,
    );
  } catch (error) {
    throw new UnusableFile(
      (error as NodeJS.ErrnoException).code === "ELOCKED"
        ? `another program keeps it locked; if none is running, remove ${real}.lock`
        : messageOf(error),
    );
  }
  try {
    await work();
  } finally {
    await release().catch(() => undefined);
  }
}
