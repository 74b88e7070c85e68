/**
 * git as a child process that leaves nothing behind. It leads a process group of its own, since git's commands start
 * further ones, and the group is killed on every path: when git exits, when it is asked to end, and when this process
 * exits. Where this process is killed, the limit of CPU time ends what is left.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { isObserved, noteEnded } from "../contract/observation.ts";
import { RepoError } from "./errors.ts";

export interface NativeGit {
  /** A name that is looked for on `searchPath`, or an absolute path. */
  program: string;
  searchPath: string | undefined;
}

export interface GitProcess {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when git has exited and the rest of its group has been killed. */
  ended: Promise<void>;
  /** Asks the group to end, and kills it after a grace period. Does nothing after the end. */
  end(): void;
  /** Kills the group at once. */
  kill(): void;
}

export interface GitProcessOptions {
  /** All of git's environment. */
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Limit of CPU time for each process of the group. */
  cpuSeconds: number;
}

const graceMs = 2000;
/** Sets the limit, unless a lower one is in force, and becomes git, so that no shell is left in between. */
const limitedStart = 'ulimit -t "$1" 2>/dev/null; shift; exec "$@"';
const notFoundCode = 127;
const located = new Map<string, string>();

/** Groups that are killed when this process exits: a signal handler would be too late for `process.exit`. */
const groups = new Set<number>();
let killsAtExit = false;

/** Throws `git_missing` if the program does not exist, and `storage_unavailable` if no process can be started. */
export async function startGit(
  git: NativeGit,
  args: readonly string[],
  { env, cwd, cpuSeconds }: GitProcessOptions,
): Promise<GitProcess> {
  const program = await locate(git);
  let child: GitProcess["child"];
  try {
    child = spawn("/bin/sh", ["-c", limitedStart, "git", String(cpuSeconds), program, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env,
      detached: true,
      windowsHide: true,
      cwd,
    });
  } catch (error) {
    throw unstartable(error as Error);
  }
  const started = trackGroup(child);
  if (isObserved()) measure(child, args);
  // A program that was removed since it was located.
  child.once("exit", (code) => code === notFoundCode && located.delete(keyOf(git)));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(unstartable(error)));
  });
  return started;
}

const commandPattern = /^[a-z][a-z-]{1,30}$/;

function measure(child: GitProcess["child"], args: readonly string[]): void {
  const startedAt = performance.now();
  // Options that precede the command have values, which contain other characters.
  const command = args.find((arg) => commandPattern.test(arg)) ?? "version";
  child.once("exit", (code) =>
    noteEnded("git", { command }, (performance.now() - startedAt) / 1000, code !== 0),
  );
}

/** The exit listener kills what git has left running; until then its number can't be another process's. */
function trackGroup(child: GitProcess["child"]): GitProcess {
  const { pid } = child;
  let grace: NodeJS.Timeout | undefined;
  let isOver = pid === undefined;
  const signal = (name: NodeJS.Signals) => {
    if (!isOver && pid !== undefined) signalGroup(pid, name);
  };
  if (pid !== undefined) killAtExit(pid);
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => {
      signal("SIGKILL");
      isOver = true;
      clearTimeout(grace);
      if (pid !== undefined) groups.delete(pid);
      resolve();
    });
  });
  return {
    child,
    ended,
    end() {
      if (isOver || grace) return;
      grace = setTimeout(() => signal("SIGKILL"), graceMs);
      signal("SIGTERM");
    },
    kill: () => signal("SIGKILL"),
  };
}

function killAtExit(pid: number): void {
  groups.add(pid);
  if (killsAtExit) return;
  killsAtExit = true;
  process.on("exit", killGitProcesses);
}

/** Kills every git that this process has started, with its group: for a process that ends without an `exit` event. */
export function killGitProcesses(): void {
  for (const group of groups) signalGroup(group, "SIGKILL");
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // Nothing is left of the group.
  }
}

const keyOf = ({ program, searchPath }: NativeGit) => `${program}\0${searchPath ?? ""}`;

/** The program's path: the shell that becomes git could only report that there is none by its exit code. */
async function locate(git: NativeGit): Promise<string> {
  const known = located.get(keyOf(git));
  if (known !== undefined) return known;
  const folders = isAbsolute(git.program) ? [""] : (git.searchPath ?? "/usr/bin:/bin").split(delimiter);
  for (const folder of folders) {
    const candidate = folder === "" ? git.program : join(folder, git.program);
    if (!isAbsolute(candidate)) continue;
    if (await isExecutable(candidate)) {
      located.set(keyOf(git), candidate);
      return candidate;
    }
  }
  throw new RepoError("git_missing", "there is no git program on this machine");
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const unstartable = (error: Error) =>
  new RepoError("storage_unavailable", `git: ${error.message}`, { cause: error });

/** An environment without the user's home, configuration and credentials. */
export function plainGitEnvironment(searchPath: string | undefined): NodeJS.ProcessEnv {
  return {
    PATH: searchPath,
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
}
