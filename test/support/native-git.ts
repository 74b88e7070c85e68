/** A skill's bare repository as native git reads it. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execGit } from "./git-process.ts";

/** No settings of the machine, and no prompts for passwords. */
export const plainGitEnv = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C.UTF-8",
};

/** The environment of a person who edits a repository with git: a name, and no settings of this machine. */
export const editorEnv = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Remote Author",
  GIT_AUTHOR_EMAIL: "remote@example.com",
  GIT_COMMITTER_NAME: "Remote Author",
  GIT_COMMITTER_EMAIL: "remote@example.com",
  LC_ALL: "C.UTF-8",
};

/** Runs git in a folder and returns its output as bytes. Throws with its error output if it fails. */
export function gitBytes(folder: string, ...args: string[]): Buffer {
  return execGit(["-c", "safe.directory=*", "-c", "core.quotePath=false", ...args], {
    cwd: folder,
    env: plainGitEnv,
  });
}

/** Like `gitBytes`, with input. */
export function feedGit(folder: string, input: Buffer | string, ...args: string[]): Buffer {
  return execGit(["-c", "safe.directory=*", ...args], { cwd: folder, env: plainGitEnv, input });
}

export function git(folder: string, ...args: string[]): string {
  return gitBytes(folder, ...args).toString("utf8");
}

/** Every bare repository below a git root. */
export function repositoriesOf(gitRoot: string): string[] {
  return readdirSync(gitRoot, { recursive: true, encoding: "utf8" })
    .filter((name) => /^t[/\\][0-9a-f]{24}[/\\]s[/\\][0-9a-f]{2}[/\\][0-9a-f]{24}\.git$/.test(name))
    .map((name) => path.join(gitRoot, name));
}

export function repositoryOf(gitRoot: string, skillId: string): string {
  const found = repositoriesOf(gitRoot).find((folder) => folder.endsWith(`${skillId}.git`));
  if (found === undefined) throw new Error(`no repository of the skill ${skillId} below ${gitRoot}`);
  return found;
}

/** Waits until the tags are written, which happens right after the response to a publish. */
export async function waitForTags(repository: string, tags: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await sleep(50)) {
    const found = git(repository, "tag", "--list").split("\n");
    const missing = tags.filter((tag) => !found.includes(tag));
    if (missing.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${repository} lacks the tags ${missing.join(", ")}`);
  }
}

/** Fails if git's own check reports anything. */
export function assertSound(repository: string): void {
  const said = git(repository, "fsck", "--full", "--strict", "--no-dangling");
  if (said.trim() !== "") throw new Error(`git fsck of ${repository}: ${said}`);
}
