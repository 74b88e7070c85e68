/**
 * A customer's git host for tests: real smart HTTP on loopback, in a process of its own, so that a test may also run
 * git and wait for it. It rejects, delays and fails requests and lets others push first, as requested.
 */
import { fork } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Remote } from "../../../repos/mirror/types.ts";
import { execGit } from "../git-process.ts";
import { editorEnv } from "../native-git.ts";

/** A fault for requests of one kind, `times` times, or permanently. */
export interface Trouble {
  on: "fetch-refs" | "fetch" | "push-refs" | "push";
  times?: number;
  /** In place of git's response. */
  answer?: { status: number; headers?: Record<string, string>; body?: string };
  delayMs?: number;
  /** Never responds. */
  silent?: true;
  cutAfterBytes?: number;
  /** Processes the request, but closes the connection before the response. */
  loseAnswer?: true;
}

export type ToChild =
  | { kind: "trouble"; trouble: Trouble }
  | { kind: "calm" }
  | { kind: "secret"; repository: string; secret: string }
  | { kind: "gate"; repository: string }
  | { kind: "release"; id: number };
export type FromChild =
  | { kind: "listening"; port: number }
  | { kind: "done" }
  | { kind: "held"; id: number }
  | { kind: "asked"; step: Trouble["on"]; authorization: string | null };

export function runGit(folder: string, ...args: string[]): string {
  return execGit(["-c", "core.quotePath=false", ...args], { cwd: folder, env: editorEnv })
    .toString()
    .trimEnd();
}

/**
 * Several commands of git, run in order until one fails: started as one process, since each start takes as long as
 * git's work. `$1` and so on are the values. Returns the output of the last commands.
 */
export function runGitScript(folder: string, script: string, ...values: string[]): string {
  return runGit(folder, "-c", `alias.script=!set -e; ${script};:`, "script", ...values);
}

/** A repository at the host, and a working copy that pushes straight into its directory. */
export interface HostedRepo {
  /** The bare repository. */
  directory: string;
  copy: string;
  remote: Remote & { kind: "http" };
  /** Writes files (null removes one), commits, and pushes; returns the commit. */
  commit(files: Record<string, string | Buffer | null>, message?: string): string;
  /** Updates the working copy to the branch's tip. */
  pull(): void;
  /** Tip of the branch, undefined if there is none. */
  head(branch?: string): string | undefined;
  /** Content of a file at the tip. */
  show(file: string): string;
  /** Paths at the tip. */
  paths(): string[];
  hook(name: "pre-receive" | "update", script: string): void;
}

export interface GitHost {
  url: string;
  /** Requests so far, oldest first. */
  asked: { step: Trouble["on"]; authorization: string | null }[];
  newRepository(options?: { secret?: string; branch?: string }): Promise<HostedRepo>;
  trouble(trouble: Trouble): Promise<void>;
  calm(): Promise<void>;
  /** Holds the next push to a repository when it arrives, until `meanwhile` is done. */
  race(repository: HostedRepo, meanwhile: () => void): Promise<void>;
  close(): Promise<void>;
}

export async function startGitHost(): Promise<GitHost> {
  const root = mkdtempSync(path.join(os.tmpdir(), "svc-git-host-"));
  const child = fork(path.join(import.meta.dirname, "git-host-child.mjs"), [root], {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const asked: GitHost["asked"] = [];
  const waiting: (() => void)[] = [];
  let meanwhile: (() => void) | undefined;
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the git host ended at once")));
    child.on("message", (message: FromChild) => {
      if (message.kind === "listening") resolve(message.port);
      else if (message.kind === "asked") asked.push(message);
      else if (message.kind === "done") waiting.shift()?.();
      else {
        meanwhile?.();
        void send({ kind: "release", id: message.id });
      }
    });
  });
  const send = (message: ToChild) =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      child.send(message);
    });
  const url = `http://127.0.0.1:${port}`;
  let made = 0;

  return {
    url,
    asked,
    async newRepository({ secret, branch = "main" } = {}) {
      const name = `repository-${made++}`;
      const directory = path.join(root, `${name}.git`);
      const copy = path.join(root, `${name}-copy`);
      runGit(root, "init", "-q", "--bare", "-b", branch, directory);
      runGit(directory, "config", "http.receivepack", "true");
      runGit(directory, "config", "uploadpack.allowFilter", "true");
      runGit(root, "init", "-q", "-b", branch, copy);
      runGit(copy, "remote", "add", "origin", directory);
      if (secret !== undefined) await send({ kind: "secret", repository: name, secret });
      const authorization = `Basic ${Buffer.from(`x-access-token:${secret}`).toString("base64")}`;
      return hostedRepo(directory, copy, branch, {
        kind: "http",
        url: `${url}/${name}.git`,
        authorization: secret === undefined ? undefined : authorization,
        allowPrivateNetwork: true,
      });
    },
    trouble: (trouble) => send({ kind: "trouble", trouble }),
    calm: () => send({ kind: "calm" }),
    async race(repository, action) {
      meanwhile = action;
      await send({ kind: "gate", repository: path.basename(repository.directory, ".git") });
    },
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null) {
        // It ends the processes that it has started.
        child.disconnect();
        await ended;
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function hostedRepo(
  directory: string,
  copy: string,
  branch: string,
  remote: HostedRepo["remote"],
): HostedRepo {
  const head = (name = branch) => {
    const found = runGit(directory, "for-each-ref", "--format=%(objectname)", `refs/heads/${name}`);
    return found === "" ? undefined : found;
  };
  return {
    directory,
    copy,
    remote,
    head,
    commit(files, message = "A change") {
      for (const [name, content] of Object.entries(files)) {
        const target = path.join(copy, name);
        if (content === null) {
          rmSync(target, { recursive: true, force: true });
          continue;
        }
        mkdirSync(path.dirname(target), { recursive: true });
        writeFileSync(target, content);
      }
      return commitAndPush(copy, message, branch);
    },
    pull() {
      runGitScript(copy, `git fetch -q origin "$1"; git reset -q --hard FETCH_HEAD; git clean -qfd`, branch);
    },
    show: (file) => runGit(directory, "show", `${branch}:${file}`),
    paths: () => runGit(directory, "ls-tree", "-r", "--name-only", branch).split("\n").filter(Boolean),
    hook(name, script) {
      const file = path.join(directory, "hooks", name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
    },
  };
}

/** Commits everything in a working copy; returns the commit. */
export function commitAndPush(copy: string, message: string, branch: string, isForced = false): string {
  return runGitScript(
    copy,
    `git add -A; git commit -q --allow-empty -m "$1"; git push -q origin "$2"; git rev-parse HEAD`,
    message,
    `${isForced ? "+" : ""}HEAD:refs/heads/${branch}`,
  );
}

/** Rejects a push with GitHub's message for a protected branch. */
export const protectedBranchHook = `
echo "error: GH006: Protected branch update failed for refs/heads/main." >&2
echo "error: Changes must be made through a pull request." >&2
exit 1`;

/** Rejects a push with GitHub's message for a secret: any file with the word \`SECRET-TOKEN\`. */
export const secretScanningHook = `
while read old new ref; do
  found=$(git grep -l SECRET-TOKEN "$new" -- | sed "s/^[^:]*://")
  if [ -n "$found" ]; then
    echo "error: GH013: Repository rule violations found for $ref." >&2
    echo "- GITHUB PUSH PROTECTION: push cannot contain secrets" >&2
    for file in $found; do echo "  path: $file:1" >&2; done
    exit 1
  fi
done`;
