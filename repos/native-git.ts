/** The machine's own git, run without any user's settings, for maintenance that it does better than our code. */
import { RepoError } from "./errors.ts";
import { type NativeGit, plainGitEnvironment, startGit } from "./git-process.ts";

export type { NativeGit } from "./git-process.ts";

export interface GitOutput {
  /** Null where it was ended from outside. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const outputBytes = 4 * 1024 * 1024;

/**
 * Runs git and returns what it printed, whatever its exit code. Throws `git_missing` if the program does not exist,
 * and `storage_unavailable` where it takes longer than `timeoutMs` or prints too much, after which it is killed with
 * everything that it has started. Its CPU time has the same limit as its time.
 */
export async function runGit(
  git: NativeGit,
  args: readonly string[],
  options: { directory?: string; timeoutMs: number },
): Promise<GitOutput> {
  const { directory, timeoutMs } = options;
  const place = directory === undefined ? [] : ["-c", `safe.directory=${directory}`, "-C", directory];
  const started = await startGit(
    git,
    ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", ...place, ...args],
    {
      env: { ...plainGitEnvironment(git.searchPath), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
      cpuSeconds: Math.ceil(timeoutMs / 1000),
    },
  );
  const { child } = started;
  let ending: string | undefined;
  const kill = (reason: string) => {
    ending ??= reason;
    started.kill();
  };
  const late = setTimeout(() => kill("it took too long"), timeoutMs);
  let bytes = 0;
  const collect = (stream: NodeJS.ReadableStream) => {
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > outputBytes) kill("it printed too much");
      else pieces.push(piece);
    });
    return pieces;
  };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  child.stdin.on("error", () => undefined).end();
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(late);
  if (ending !== undefined) throw new RepoError("storage_unavailable", `git ${args[0]} was ended: ${ending}`);
  return {
    exitCode,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  };
}

/** The version of the git program, or undefined where there is none. */
export async function gitVersion(git: NativeGit): Promise<string | undefined> {
  try {
    const { stdout } = await runGit(git, ["--version"], { timeoutMs: 3000 });
    return /\d[\w.]*/.exec(stdout)?.[0];
  } catch (error) {
    if (error instanceof RepoError && error.code === "git_missing") return undefined;
    throw error;
  }
}
