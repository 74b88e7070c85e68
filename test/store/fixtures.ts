/** Fixtures of the store's tests: a store in a temporary folder, drafts, and native git to verify the result. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  openSkillStore,
  type RepoId,
  type SkillStore,
  type StoreOptions,
  type TreeFile,
  type VersionDraft,
} from "../../repos/store/index.ts";

const run = promisify(execFile);

export const repo: RepoId = { tenantId: "5f0000000000000000000001", skillId: "65a1b2c3d4e5f60718293a4b" };

export interface Bench {
  folder: string;
  store: SkillStore;
  /** Another process: same files, nothing in memory. */
  reopen(options?: Partial<StoreOptions>): SkillStore;
  close(): Promise<void>;
}

export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "svc-store-"));
}

export async function openBench(options: Partial<StoreOptions> = {}): Promise<Bench> {
  const folder = await temporaryFolder();
  const stores: SkillStore[] = [];
  const open = (more: Partial<StoreOptions> = {}) => {
    const store = openSkillStore({
      root: join(folder, "git"),
      committerHost: "svc.test",
      ...options,
      ...more,
    });
    stores.push(store);
    return store;
  };
  return {
    folder,
    store: open(),
    reopen: open,
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function textFile(path: string, text: string, mode: TreeFile["mode"] = "100644"): TreeFile {
  return { path, mode, data: Buffer.from(text) };
}

export function draft(files: readonly TreeFile[], parent?: string, version = 1): VersionDraft {
  return {
    parent,
    source: { kind: "files", files },
    author: { name: "ada", email: "u-1@users.noreply.svc.test" },
    at: new Date(1_700_000_000_000 + version * 1000),
    message: `Version ${version}`,
    trailers: { "Svc-Skill": repo.skillId, "Svc-Version": String(version) },
  };
}

/** Publishes a chain of one-file versions and returns their commits. */
export async function publishChain(store: SkillStore, count: number, parent?: string, first = 1) {
  const written = [];
  for (let version = first; version < first + count; version++) {
    const commit = await store.writeCommit(
      repo,
      draft([textFile("SKILL.md", `# Version ${version}\n`)], parent, version),
    );
    parent = commit.oid;
    written.push(commit);
  }
  return written;
}

const gitEnvironment = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** Native git on a bare repository; the output as bytes. */
export async function git(folder: string, ...args: string[]): Promise<Buffer> {
  const { stdout } = await run("git", ["--git-dir", folder, ...args], {
    env: gitEnvironment,
    encoding: "buffer",
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout;
}

/** Faults that fsck reports, except unreachable objects. */
export async function fsck(folder: string): Promise<string[]> {
  const complaints = await run("git", ["--git-dir", folder, "fsck", "--full", "--strict", "--no-dangling"], {
    env: gitEnvironment,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { stdout: string; stderr: string; message: string }) =>
      `${error.stdout}${error.stderr}${error.message}`,
  );
  // A repository has an unborn branch before the first advance of its refs.
  return complaints.split("\n").filter((line) => line !== "" && !line.startsWith("notice:"));
}
