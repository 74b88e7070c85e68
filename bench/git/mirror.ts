/** The sync's Git layer against native git over HTTP on loopback: push, import diff, fetch, and a served clone. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { openMirrors } from "../../repos/mirror/index.ts";
import { contentTreeOf, indexFile, svcRecordFile } from "../../repos/mirror/layout.ts";
import type { Mirror, MirrorEdit, MirrorFile, Mirrors, PutEdit } from "../../repos/mirror/types.ts";
import { openUploadPack } from "../../repos/serve/upload-pack.ts";
import type { SkillStore } from "../../repos/store/index.ts";
import { hashObject } from "../../repos/store/objects.ts";
import { startGitHost, type GitHost, type HostedRepo } from "../../test/support/host/git-host.ts";
import { median, row, type Row } from "../figures/figures.ts";
import type { Sizes } from "../figures/options.ts";
import { openNativeGit, type NativeGit } from "./native.ts";

const tenantId = "5f0000000000000000000001";
const searchPath = process.env["PATH"];
async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Memory of a sync process beyond that of an empty Node process. */
const syncProcessMb = 100;

const best = (times: readonly number[]) => Math.min(...times);
const info = (n: number) => ({
  author: { name: "svc", email: "svc@noreply.bench.test" },
  at: new Date(1_700_000_000_000 + n * 1000),
  message: `Sync ${n}\n`,
});

/** Three files for each skill, in twenty folders. */
function skillEdit(n: number, version: number): PutEdit {
  const words = Array.from({ length: 30 }, (_, i) => `- step ${i} of ${n}: number ${(n * 31 + i) % 97}\n`);
  const files: MirrorFile[] = [
    { path: "SKILL.md", mode: "100644", data: Buffer.from(`# Skill ${n}, ${version}\n\n${words.join("")}`) },
    { path: "scripts/run.sh", mode: "100755", data: Buffer.from(`#!/bin/sh\necho ${n}\n`) },
  ];
  return {
    kind: "put",
    path: `skills/folder-${String(n % 20).padStart(2, "0")}/skill-${n}`,
    contentTree: contentTreeOf(
      files.map(({ path, mode, data }) => ({ path, mode, oid: hashObject("blob", data) })),
    ),
    svc: svcRecordFile({
      id: n.toString(16).padStart(24, "0"),
      version,
      semver: `1.0.${version}`,
      type: "skill",
      visibility: "private",
      tags: [],
      author: { name: "Bench", username: "bench" },
      versionAuthor: null,
    }),
    files: () => files,
  };
}

/** The edit of a skill of a library, whose content so far is kept as a version. */
function changeSkill(library: Library, n: number, version: number): PutEdit {
  const edit = skillEdit(n, version);
  const kept = new Set([library.contentTrees[n]!]);
  library.contentTrees[n] = edit.contentTree;
  return { ...edit, kept };
}

function wholeLibrary(count: number): MirrorEdit[] {
  const edits = Array.from({ length: count }, (_, n) => skillEdit(n, 1));
  const entries = edits.map(({ path }) => ({ path, name: path, description: "x", type: "skill" as const }));
  return [...edits, { kind: "index", data: indexFile(entries) }];
}

/** Shared parts of the mirror scenarios. */
interface Place {
  folder: string;
  host: GitHost;
  mirrors: Mirrors;
  native: NativeGit;
  sizes: Sizes<"git">;
}

interface Library {
  own: HostedRepo;
  native: HostedRepo;
  mirror: Mirror;
  connectionId: string;
  tip: string;
  /** Working copy without files, of the native side. */
  copy: string;
  version: number;
  /** Content tree of each skill. */
  contentTrees: string[];
}

let connections = 0;

async function build(mirror: Mirror, parent: string | null, edits: readonly MirrorEdit[], n: number) {
  const { prepared, refused } = await mirror.build(parent, edits, info(n));
  if (refused[0]) throw new Error(`${refused[0].path} can't be written: ${refused[0].why}`);
  if (prepared === undefined) throw new Error("there is nothing to push");
  return prepared;
}

async function pushBuilt(
  mirror: Mirror,
  repository: HostedRepo,
  prepared: Awaited<ReturnType<typeof build>>,
) {
  const { status } = await mirror.push(repository.remote, "main", prepared);
  if (status !== "pushed") throw new Error(`the push was ${status}`);
}

async function newLibrary(
  { folder, host, mirrors, native: { git } }: Place,
  count: number,
): Promise<Library> {
  const own = await host.newRepository();
  const native = await host.newRepository();
  const connectionId = (++connections).toString(16).padStart(24, "0");
  const mirror = mirrors.open({ tenantId, connectionId });
  const prepared = await build(mirror, null, wholeLibrary(count), 0);
  await pushBuilt(mirror, own, prepared);
  await pushBuilt(mirror, native, prepared);
  const copy = join(folder, `native-${connections}`);
  await git(folder, "clone", "-q", "--no-checkout", native.remote.url, copy);
  await git(copy, "read-tree", "HEAD");
  const contentTrees = Array.from({ length: count }, (_, skill) => skillEdit(skill, 1).contentTree);
  return { own, native, mirror, connectionId, tip: prepared.commit, copy, version: 1, contentTrees };
}

/** One edited skill, each side from an existing commit. Our time includes building the pack. */
async function pushOne(
  library: Library,
  { git, timedGit }: NativeGit,
): Promise<{ own: number; built: number; native: number }> {
  const version = ++library.version;
  const edit = changeSkill(library, version % 50, version);
  let prepared: Awaited<ReturnType<typeof build>> | undefined;
  const built = await timed(async () => {
    prepared = await build(library.mirror, library.tip, [edit], version);
  });
  const own = await timed(() => pushBuilt(library.mirror, library.own, prepared!));
  library.tip = prepared!.commit;

  const file = join(library.copy, ".git", "changed");
  await writeFile(file, `# Skill, ${version}\n`);
  const blob = await git(library.copy, "hash-object", "-w", file);
  await git(library.copy, "update-index", "--cacheinfo", `100644,${blob},${edit.path}/SKILL.md`);
  const tree = await git(library.copy, "write-tree");
  const parent = await git(library.copy, "rev-parse", "HEAD");
  const commit = await git(library.copy, "commit-tree", "-p", parent, "-m", "x", tree);
  await git(library.copy, "update-ref", "HEAD", commit);
  const native = await timedGit(library.copy, "push", "-q", "origin", "HEAD:refs/heads/main");
  return { own, built, native };
}

async function pushes(place: Place): Promise<Row[]> {
  const libraries = [await newLibrary(place, 300), await newLibrary(place, place.sizes.synced)];
  const [small, large] = libraries as [Library, Library];
  const times = libraries.map(() => ({ own: [] as number[], built: [] as number[], native: [] as number[] }));
  for (let round = 0; round < place.sizes.pushes; round++)
    for (const [i, library] of libraries.entries()) {
      const { own, built, native } = await pushOne(library, place.native);
      // The first round also fills caches, on both sides.
      if (round < 2) continue;
      times[i]!.own.push(own);
      times[i]!.built.push(built);
      times[i]!.native.push(native);
    }
  // The rounds of both sides alternate, so that a busy machine slows them alike.
  const relative = (i: number) => median(times[i]!.own) / median(times[i]!.native);
  const ms = (list: readonly number[]) => `${median(list).toFixed(0)} ms`;
  const withBuild = (i: number) =>
    (median(times[i]!.own) + median(times[i]!.built)) / median(times[i]!.native);
  return [
    ...libraries.map((_, i) =>
      row(
        `push one changed skill of ${i === 0 ? 300 : place.sizes.synced}: vs native git push`,
        relative(i),
        "x",
        { most: 0.7 },
        `median ${ms(times[i]!.own)}, native ${ms(times[i]!.native)}; ` +
          `with ${ms(times[i]!.built)} to build ours ${withBuild(i).toFixed(2)} x`,
      ),
    ),
    row(
      `push one changed skill: ${place.sizes.synced} vs 300`,
      relative(1) / relative(0),
      "x",
      { most: 1.5 },
      "each relative to native then: the host's own check grows with the tree",
    ),
    ...(await importDiff(place, large)),
    ...(await fetches(place, large)),
    ...(await firstPush(place, small)),
  ];
}

async function firstPush(
  { folder, host, mirrors, native: { git, timedGit }, sizes }: Place,
  small: Library,
): Promise<Row[]> {
  const own: number[] = [];
  const native: number[] = [];
  const built: number[] = [];
  for (let round = 0; round < sizes.fetches; round++) {
    const [ours, theirs] = [await host.newRepository(), await host.newRepository()];
    const mirror = mirrors.open({ tenantId, connectionId: (++connections).toString(16).padStart(24, "0") });
    let prepared: Awaited<ReturnType<typeof build>> | undefined;
    built.push(
      await timed(async () => {
        prepared = await build(mirror, null, wholeLibrary(300), round);
      }),
    );
    own.push(await timed(() => pushBuilt(mirror, ours, prepared!)));
    const copy = join(folder, `first-${round}`);
    await git(folder, "clone", "-q", "--no-checkout", "--depth=1", small.native.remote.url, copy);
    const root = await git(copy, "commit-tree", "-m", "all", "HEAD^{tree}");
    native.push(await timedGit(copy, "push", "-q", theirs.remote.url, `${root}:refs/heads/main`));
  }
  return [
    row(
      "first push of 300 skills: vs native git push",
      best(own) / best(native),
      "x",
      { most: 1.2 },
      `best ${best(own).toFixed(0)} ms; to build ${best(built).toFixed(0)} ms`,
    ),
  ];
}

/**
 * Ten edits among many, read with empty caches, like native git. A sync's process is reused, so the code is warm in
 * the best rounds.
 */
async function importDiff({ folder, native: { timedGit }, sizes }: Place, library: Library): Promise<Row[]> {
  const before = library.tip;
  const edits = Array.from({ length: 10 }, (_, i) =>
    changeSkill(library, i * Math.floor(sizes.synced / 12), 999),
  );
  const prepared = await build(library.mirror, before, edits, 999);
  await pushBuilt(library.mirror, library.own, prepared);
  // As before each import: it also brings the packs of the pushes so far together.
  await library.mirror.fetch(library.own.remote, "main");
  const { commit } = prepared;
  const own: number[] = [];
  const native: number[] = [];
  const fromSync: number[] = [];
  const syncProcess = openNativeGit(syncProcessMb);
  const root = join(folder, "git");
  const directory = join(root, "t", tenantId, "mirror", `${library.connectionId}.git`);
  for (let round = 0; round < sizes.scans; round++) {
    const cold = openMirrors({ root, git: { program: "git", searchPath } });
    const mirror = cold.open({ tenantId, connectionId: library.connectionId });
    own.push(
      await timed(async () => {
        const { directories } = await mirror.scan(commit, { since: before });
        if (directories.length !== 10) throw new Error(`found ${directories.length} edits of 10`);
      }),
    );
    await cold.close();
    native.push(await timedGit(directory, "diff-tree", "-r", "--name-only", before, commit));
    fromSync.push(await syncProcess.timedGit(directory, "diff-tree", "-r", "--name-only", before, commit));
  }
  syncProcess.close();
  return [
    row(
      `import diff, 10 edits in ${sizes.synced} skills: vs git diff-tree that a sync starts`,
      best(own) / best(fromSync),
      "x",
      { most: 1.5 },
      `best ${best(own).toFixed(1)} ms, nothing in memory; the ids of .svc.json included`,
    ),
    row(
      "the same: vs git diff-tree that a small process starts",
      best(own) / best(native),
      "x",
      {},
      `best ${best(native).toFixed(1)} ms, ${best(fromSync).toFixed(1)} from a process of a sync's size`,
    ),
  ];
}

async function fetches({ folder, native: { timedGit }, sizes }: Place, library: Library): Promise<Row[]> {
  const own: number[] = [];
  const native: number[] = [];
  for (let round = 0; round < sizes.fetches; round++) {
    const mirrors = openMirrors({ root: join(folder, "fetched"), git: { program: "git", searchPath } });
    const mirror = mirrors.open({ tenantId, connectionId: "f".repeat(24) });
    own.push(await timed(() => mirror.fetch(library.own.remote, "main")));
    await mirror.drop();
    await mirrors.close();
    const target = join(folder, "cloned.git");
    native.push(await timedGit(folder, "clone", "-q", "--bare", "--depth=1", library.own.remote.url, target));
    await rm(target, { recursive: true, force: true });
  }
  return [
    row(
      `fetch ${sizes.synced} skills, depth 1: vs native git clone --bare`,
      best(own) / best(native),
      "x",
      { most: 3 },
      `best ${best(own).toFixed(0)} ms, every object hashed`,
    ),
  ];
}

/** Scenarios of the mirror; everything they make lies in the folder. */
export async function mirrorScenarios(folder: string, sizes: Sizes<"git">): Promise<Row[]> {
  await mkdir(folder, { recursive: true });
  const host = await startGitHost();
  const native = openNativeGit();
  const mirrors = openMirrors({ root: join(folder, "git"), git: { program: "git", searchPath } });
  try {
    return await pushes({ folder, host, mirrors, native, sizes });
  } finally {
    native.close();
    await mirrors.close();
    await host.close();
  }
}

/** A clone of many versions over HTTP, against native git's own from the same directory. */
export async function cloneScenario(
  folder: string,
  store: SkillStore,
  repository: { tenantId: string; skillId: string },
  { versions, clones }: Sizes<"git">,
): Promise<Row[]> {
  await mkdir(folder, { recursive: true });
  const directory = await store.materialize(repository);
  const uploads = openUploadPack({ log: () => undefined, program: "git", searchPath });
  const server = createServer((request, response) => {
    const client = { protocol: String(request.headers["git-protocol"] ?? ""), caller: "bench" };
    const serve = async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const isList = request.method === "GET";
      response.setHeader(
        "content-type",
        `application/x-git-upload-pack-${isList ? "advertisement" : "result"}`,
      );
      const answer = isList
        ? await uploads.advertise(directory, client)
        : await uploads.answer(directory, client, Buffer.concat(pieces));
      answer.pipe(response);
    };
    serve().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const native = openNativeGit();
  const served: number[] = [];
  const local: number[] = [];
  for (let round = 0; round < clones; round++) {
    const target = join(folder, "clone");
    served.push(await native.timedGit(folder, "clone", "-q", `http://127.0.0.1:${port}/x.git`, target));
    await rm(target, { recursive: true, force: true });
    local.push(await native.timedGit(folder, "clone", "-q", "--no-local", directory, target));
    await rm(target, { recursive: true, force: true });
  }
  native.close();
  await uploads.close();
  server.close();
  return [
    row(
      `served clone, ${versions} versions: vs local --no-local clone`,
      best(served) / best(local),
      "x",
      { most: 1.3 },
      `best ${best(served).toFixed(0)} ms`,
    ),
  ];
}
