/** The machine's own git, as a process with nothing of anybody's settings, for upkeep that it does better than we. */
import { execFile } from "node:child_process";
import { RepoError } from "./errors.ts";

export interface NativeGit {
  /** A name that is looked for on `searchPath`, or an absolute path. */
  program: string;
  searchPath: string | undefined;
}

export interface GitOutput {
  /** Null where it was ended from outside. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const outputBytes = 4 * 1024 * 1024;

/**
 * Runs git and answers what it said, whatever its exit code. Throws `git_missing` where there is no such program, and
 * `storage_unavailable` where it takes longer than `timeoutMs`, after which it is killed.
 */
export function runGit(
  git: NativeGit,
  args: readonly string[],
  options: { directory?: string; timeoutMs: number },
): Promise<GitOutput> {
  const { directory, timeoutMs } = options;
  const place = directory === undefined ? [] : ["-c", `safe.directory=${directory}`, "-C", directory];
  return new Promise((resolve, reject) => {
    const child = execFile(
      git.program,
      ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", ...place, ...args],
      {
        env: {
          ...(git.searchPath === undefined ? {} : { PATH: git.searchPath }),
          HOME: "/nonexistent",
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_CONFIG_GLOBAL: "/dev/null",
          GIT_TERMINAL_PROMPT: "0",
          LC_ALL: "C",
        },
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: outputBytes,
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const { code, killed } = (error ?? {}) as { code?: string | number; killed?: boolean };
        if (code === "ENOENT")
          return reject(new RepoError("git_missing", "there is no git program on this machine"));
        if (killed === true || typeof code === "string")
          return reject(
            new RepoError("storage_unavailable", `git ${args[0]} was ended: ${code ?? "it took too long"}`),
          );
        resolve({ exitCode: error ? child.exitCode : 0, stdout, stderr });
      },
    );
  });
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
