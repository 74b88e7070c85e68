/** Fixtures of the mirror's tests: mirrors in a temporary folder, a git host, and edits like those of an export. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openMirrors } from "../../repos/mirror/index.ts";
import { contentTreeOf, svcRecordFile } from "../../repos/mirror/layout.ts";
import type {
  CommitInfo,
  Mirror,
  MirrorEdit,
  MirrorFile,
  MirrorOptions,
  Mirrors,
  PreparedPush,
  PutEdit,
} from "../../repos/mirror/types.ts";
import { hashObject } from "../../repos/store/objects.ts";
import { startGitHost, type GitHost, type HostedRepo } from "../support/host/git-host.ts";

export const tenantId = "5f0000000000000000000001";

export interface MirrorBench {
  folder: string;
  host: GitHost;
  mirrors: Mirrors;
  /** A mirror of a new connection. */
  newMirror(): Mirror;
  /** The path of the latest mirror. */
  directory(): string;
  /** Another process: with nothing in memory. */
  reopen(options?: Partial<MirrorOptions>): Mirrors;
  close(): Promise<void>;
}

export async function openMirrorBench(options: Partial<MirrorOptions> = {}): Promise<MirrorBench> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-mirror-"));
  const opened: Mirrors[] = [];
  const open = (more: Partial<MirrorOptions> = {}) => {
    const mirrors = openMirrors({
      root: path.join(folder, "git"),
      git: { program: "git", searchPath: process.env["PATH"] },
      ...options,
      ...more,
    });
    opened.push(mirrors);
    return mirrors;
  };
  const mirrors = open();
  const host = await startGitHost();
  let made = 0;
  const idOf = (n: number) => n.toString(16).padStart(24, "0");
  return {
    folder,
    host,
    mirrors,
    newMirror: () => mirrors.open({ tenantId, connectionId: idOf(++made) }),
    directory: () => path.join(folder, "git", "t", tenantId, "mirror", `${idOf(made)}.git`),
    reopen: open,
    async close() {
      await host.close();
      await Promise.all(opened.map((one) => one.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const commitInfo: CommitInfo = {
  author: { name: "svc", email: "svc@noreply.example.com" },
  at: new Date(1_700_000_000_000),
  message: "Sync skills\n\nSvc-Sync: 1",
};

export function file(name: string, text: string, mode: MirrorFile["mode"] = "100644"): MirrorFile {
  return { path: name, mode, data: Buffer.from(text) };
}

export const treeOf = (files: readonly MirrorFile[]) =>
  contentTreeOf(files.map((one) => ({ path: one.path, mode: one.mode, oid: hashObject("blob", one.data) })));

export const svcOf = (id: string, version = 1) =>
  svcRecordFile({
    id,
    version,
    semver: `1.0.${version}`,
    type: "skill",
    visibility: "private",
    tags: [],
    author: { name: "Ann", username: "ann" },
    versionAuthor: null,
  });

const kept = new Map<string, Set<string>>();

/** Content trees known at a path: all that were written there, and none that others committed. */
function keptAt(at: string, ...contentTrees: string[]): Set<string> {
  const known = kept.get(at) ?? new Set();
  kept.set(at, known);
  for (const contentTree of contentTrees) known.add(contentTree);
  return known;
}

export function put(
  at: string,
  files: readonly MirrorFile[],
  more: { id?: string; from?: string; version?: number } = {},
): PutEdit & { asked: () => number } {
  let asked = 0;
  const contentTree = treeOf(files);
  return {
    kind: "put",
    path: at,
    contentTree,
    svc: svcOf(more.id ?? at.replaceAll("/", "-"), more.version),
    files: () => {
      asked++;
      return files;
    },
    from: more.from,
    kept: keptAt(at, contentTree),
    asked: () => asked,
  };
}

export const remove = (at: string): MirrorEdit => ({ kind: "remove", path: at, kept: keptAt(at) });

export const text = (at: string, words = "Do it.") =>
  put(at, [file("SKILL.md", `---\nname: ${at.split("/").pop()}\n---\n\n${words}\n`)]);

/** Builds and pushes on top of a commit; fails unless the host accepts it. */
export async function pushEdits(
  mirror: Mirror,
  repository: HostedRepo,
  parent: string | null,
  edits: readonly MirrorEdit[],
): Promise<PreparedPush> {
  const { prepared, refused } = await mirror.build(parent, edits, commitInfo);
  if (prepared === undefined || refused.length > 0)
    throw new Error(`nothing to push, or refused: ${JSON.stringify(refused)}`);
  const result = await mirror.push(repository.remote, "main", prepared);
  if (result.status !== "pushed") throw new Error(`not pushed: ${JSON.stringify(result)}`);
  return prepared;
}
