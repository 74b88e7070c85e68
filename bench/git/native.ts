/**
 * Native git as a user runs it: started by a small process, or by one with as much memory as a sync. A fork copies the
 * page tables, and the bench's own process has more memory than either.
 */
import { fork } from "node:child_process";
import { join } from "node:path";

export const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "bench",
  GIT_AUTHOR_EMAIL: "bench@bench.test",
  GIT_COMMITTER_NAME: "bench",
  GIT_COMMITTER_EMAIL: "bench@bench.test",
};

interface Done {
  id: number;
  /** From the start of git to its end. */
  ms: number;
  output: string;
  failure?: string;
}

export interface NativeGit {
  /** Output of git. Throws its error output if it fails. */
  git(cwd: string, ...args: string[]): Promise<string>;
  /** Milliseconds that git took. */
  timedGit(cwd: string, ...args: string[]): Promise<number>;
  close(): void;
}

/** @param heldMb additional memory of the process that starts git, in MB */
export function openNativeGit(heldMb = 0): NativeGit {
  const child = fork(join(import.meta.dirname, "native-child.mjs"), [String(heldMb)], { execArgv: [] });
  const waiting = new Map<number, (done: Done) => void>();
  let count = 0;
  child.on("message", (done: Done) => {
    waiting.get(done.id)?.(done);
    waiting.delete(done.id);
  });
  const run = async (cwd: string, args: readonly string[]): Promise<Done> => {
    const id = ++count;
    const done = await new Promise<Done>((resolve) => {
      waiting.set(id, resolve);
      child.send({ id, args, cwd, env: environment });
    });
    if (done.failure !== undefined) throw new Error(`git ${args.join(" ")}: ${done.failure}`);
    return done;
  };
  return {
    git: async (cwd, ...args) => (await run(cwd, args)).output,
    timedGit: async (cwd, ...args) => (await run(cwd, args)).ms,
    close: () => child.disconnect(),
  };
}
