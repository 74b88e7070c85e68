/** Clones of an organization's marketplaces, made by the real git program. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { plainGitEnv } from "../support/native-git.ts";
import type { TestOrg, TestService } from "../support/service.ts";

interface GitRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** `place`: an address below the organization's, for example `.git` or `/-/members.git`. */
export async function openClones(service: TestService, org: TestOrg) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "svc-marketplaces-"));
  after(() => rm(folder, { recursive: true, force: true }));
  let clones = 0;

  const git = (...args: string[]): Promise<GitRun> =>
    new Promise((resolve) => {
      execFile("git", args, { cwd: folder, env: plainGitEnv, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
  /** The output, without white space around it. */
  const gitDone = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await git(...args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const addressOf = (place: string, token?: string): string => {
    const url = new URL(`/${org.slug}${place}`, service.url);
    if (token !== undefined) Object.assign(url, { username: "anybody", password: token });
    return url.href;
  };
  /** Returns its folder. */
  const clone = async (place: string, token?: string): Promise<string> => {
    const name = `clone-${clones++}`;
    await gitDone("clone", "--quiet", addressOf(place, token), name);
    return path.join(folder, name);
  };
  return {
    git,
    gitDone,
    addressOf,
    clone,
    /** Everything that a client gets which fetches all objects, inflated. */
    everythingIn: async (place: string, token?: string): Promise<string> =>
      gitDone("-C", await clone(place, token), "cat-file", "--batch-all-objects", "--batch"),
  };
}

export const jsonIn = (clonedTo: string, file: string) =>
  JSON.parse(readFileSync(path.join(clonedTo, file), "utf8")) as {
    name: string;
    version: string;
    plugins: { name: string; description?: string }[];
    renames?: Record<string, string | null>;
  };

/** The plugins that a tool lists. */
export const namesIn = (clonedTo: string, form = ".claude-plugin"): string[] =>
  jsonIn(clonedTo, `${form}/marketplace.json`).plugins.map(({ name }) => name);
