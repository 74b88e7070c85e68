import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Coalescer } from "../../contract/concurrency/coalescer.ts";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import type { ZipPackage } from "../archive/index.ts";
import { RepoError, asRepoError } from "../errors.ts";
import { digestMismatch, VersionReader } from "./version-reader.ts";
import { makeArtifact, openArtifacts } from "./artifacts.ts";
import { isMergeDue, mergePacks, removeReplaced } from "./maintenance.ts";
import { ObjectReader } from "./object-reader.ts";
import { assertOid } from "./objects.ts";
import { PackIndex } from "./pack-format.ts";
import { repoKey } from "./pack-views.ts";
import { openPosixDriver } from "./posix.ts";
import { findFaults, repackNatively, standingPacks } from "./repack.ts";
import type {
  AdvanceResult,
  CommitDraft,
  Identity,
  MaintenanceReport,
  OpenedZip,
  RefTargets,
  RepoId,
  SkillStore,
  StoreOptions,
  SweepReport,
  VersionDraft,
  WrittenCommit,
} from "./types.ts";
import { WorkerPool } from "./worker-pool.ts";
import { openSource, writeCommitOnly, writeVersion, type WrittenVersion } from "./write-version.ts";

/** Content above this size is packed and zipped in a worker thread. */
const threadBytes = 16 * 1024 * 1024;
const workerThreads = 2;
/** Merges at a time: they compete with publishes for the disk. */
const mergesAtOnce = 2;

const defaults = {
  log: () => undefined,
  readHandles: 256,
  cacheBytes: 64 * 1024 * 1024,
  graceMs: 10 * 60_000,
  staleLockMs: 10_000,
  artifactIdleMs: 7 * 24 * 60 * 60_000,
  autoMaintain: true,
} as const satisfies Partial<StoreOptions>;

export function openSkillStore(given: StoreOptions): SkillStore {
  const options = { ...defaults, ...given, root: resolve(given.root) };
  const { log, graceMs, artifactIdleMs } = options;
  const driver = openPosixDriver(options);
  const { packs, refs } = driver;
  const objects = new ObjectReader(packs, options.cacheBytes, log);
  const versions = new VersionReader(objects);
  const artifacts = openArtifacts(options.root);
  const threads = new WorkerPool(workerThreads);
  const committer: Identity = { name: "svc", email: `git@noreply.${options.committerHost}` };
  const merges = new SingleFlight<MaintenanceReport>(mergesAtOnce);
  const zips = new SingleFlight<boolean>(Infinity);
  const advances = new Coalescer<AdvanceResult>();
  const background = new Set<Promise<unknown>>();
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new RepoError("store_closed", "the store is closed");
  }

  function inBackground(work: Promise<unknown>): void {
    tracked(work).catch((error: unknown) => {
      if (error instanceof RepoError && error.code === "repository_missing") return;
      log({ level: "warn", msg: "maintenance failed", error: String(error) });
    });
  }

  /** Lets `close` wait for the work; its failure is its caller's. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.then(
      () => background.delete(settled),
      () => background.delete(settled),
    );
    background.add(settled);
    return work;
  }

  /** Makes a written pack known to readers of this process, and merges when enough packs have gathered. */
  function admit(repo: RepoId, { written, pack, objects: fresh }: WrittenVersion): WrittenCommit {
    objects.views.add(repo, pack.pack, new PackIndex(toBuffer(pack.index)), pack.bytes);
    for (const { oid, object } of fresh)
      objects.remember(repo, oid, { ...object, data: toBuffer(object.data) });
    if (options.autoMaintain && !closed && isMergeDue(objects.views.counts(repo)))
      inBackground(maintain(repo));
    return written;
  }

  async function writeCommit(repo: RepoId, draft: VersionDraft): Promise<WrittenCommit> {
    assertOpen();
    // Objects of the parent's tree are permanent; any other may belong to a publish that failed.
    const known =
      draft.parent === undefined ? new Set<string>() : await versions.contentIds(repo, draft.parent);
    let zip: ZipPackage | undefined;
    if (draft.source.kind === "zip") {
      const { size } = await stat(draft.source.path).catch((error: unknown) => {
        throw asRepoError(error, "open the spooled zip");
      });
      if (size <= threadBytes) zip = await openSource(draft.source);
      if (zip === undefined || zip.totalBytes > threadBytes) {
        zip?.close();
        const job = { kind: "version", root: options.root, repo, draft, known, committer } as const;
        return admit(repo, await threads.run(job));
      }
    }
    return admit(repo, await writeVersion(packs, repo, draft, known, committer, zip));
  }

  async function recommit(repo: RepoId, written: WrittenCommit, draft: CommitDraft): Promise<WrittenCommit> {
    assertOpen();
    if (draft.parent !== undefined) await versions.treeOf(repo, draft.parent);
    return admit(repo, await writeCommitOnly(packs, repo, written, draft, committer));
  }

  async function verify(repo: RepoId, commitOid: string, expectedDigest: string): Promise<void> {
    assertOpen();
    const found = await versions.digest(repo, await versions.treeOf(repo, commitOid));
    if (found !== expectedDigest) throw digestMismatch(repo, commitOid);
  }

  async function openZip(repo: RepoId, commitOid: string, expectedDigest: string): Promise<OpenedZip> {
    assertOpen();
    if (!/^[0-9a-f]{64}$/.test(expectedDigest))
      throw new RepoError("invalid_id", "a digest is 64 hex digits");
    const treeOid = await versions.treeOf(repo, commitOid);
    const path = artifacts.pathOf(repo, treeOid, expectedDigest);
    // More than once, for a sweep may take a zip between its making and its opening.
    for (let attempt = 0; attempt < 3; attempt++) {
      const opened = await artifacts.open(repo, treeOid, expectedDigest);
      if (opened !== undefined) return opened;
      const sound = await zips.run(path, async () => {
        const files = await versions.list(repo, treeOid);
        const total = files.reduce((sum, file) => sum + file.size, 0);
        if (total <= threadBytes) return makeArtifact(objects, repo, files, expectedDigest, path);
        return threads.run({ kind: "zip", root: options.root, repo, files, digest: expectedDigest, path });
      });
      if (!sound) throw digestMismatch(repo, commitOid);
      // The skill was erased concurrently: its zips were removed first, and this one was written afterwards.
      if (!(await packs.exists(repo))) {
        await artifacts.erase(repo);
        throw new RepoError("repository_missing", "the repository was erased");
      }
    }
    throw new RepoError("storage_unavailable", "the zip kept disappearing from the cache");
  }

  async function advanceRefs(repo: RepoId, read: () => Promise<RefTargets>): Promise<AdvanceResult> {
    assertOpen();
    return advances.run(repoKey(repo), () => refs.advance(repo, read));
  }

  function maintain(repo: RepoId): Promise<MaintenanceReport> {
    return merges.run(repoKey(repo), async () => {
      const report = await mergePacks(packs, objects.views, repo);
      await removeReplaced(packs, objects.views, repo, graceMs, (msg, pack) =>
        log({ level: "error", msg, ...repo, pack }),
      );
      return report;
    });
  }

  async function erase(repo: RepoId): Promise<void> {
    assertOpen();
    objects.forget(repo);
    await packs.erase(repo);
    await artifacts.erase(repo);
    // Reads that were under way may have put something back.
    objects.forget(repo);
  }

  async function sweep(repo?: RepoId): Promise<SweepReport> {
    assertOpen();
    const report: SweepReport = { locks: 0, temporary: 0, packs: 0, trash: 0, artifacts: 0 };
    const sweepOne = async (one: RepoId) => {
      report.locks += (await refs.sweep(one)).locks;
      report.temporary += (await packs.sweep(one)).temporary;
      report.packs += await removeReplaced(packs, objects.views, one, graceMs, (msg, pack) =>
        log({ level: "error", msg, ...one, pack }),
      );
    };
    if (repo !== undefined) {
      await sweepOne(repo);
      return report;
    }
    for await (const one of packs.repositories())
      await sweepOne(one).catch((error: unknown) =>
        log({ level: "warn", msg: "sweep failed", ...one, error: String(error) }),
      );
    report.trash = (await packs.sweep(undefined)).trash;
    report.artifacts = await artifacts.sweep(artifactIdleMs);
    return report;
  }

  return {
    writeCommit: (repo, draft) => tracked(writeCommit(repo, draft)),
    recommit: (repo, written, draft) => tracked(recommit(repo, written, draft)),
    readCommit: async (repo, oid) => {
      assertOpen();
      return versions.commit(repo, oid);
    },
    listFiles: async (repo, commitOid) => {
      assertOpen();
      return versions.list(repo, await versions.treeOf(repo, commitOid));
    },
    readFile: async (repo, commitOid, path) => {
      assertOpen();
      return versions.file(repo, commitOid, path);
    },
    openFile: async (repo, commitOid, path) => {
      assertOpen();
      return versions.open(repo, commitOid, path);
    },
    readFiles: (repo, commitOid) => {
      assertOpen();
      return versions.files(repo, versions.treeOf(repo, commitOid));
    },
    verify: (repo, commitOid, digest) => tracked(verify(repo, commitOid, digest)),
    openZip: (repo, commitOid, digest) => tracked(openZip(repo, commitOid, digest)),
    advanceRefs: (repo, read) => tracked(advanceRefs(repo, read)),
    setTags: async (repo, tags) => {
      for (const { oid } of tags) assertOid(oid);
      return refs.setTags(repo, tags);
    },
    readRefs: (repo) => refs.read(repo),
    exists: (repo) => packs.exists(repo),
    listRepos: () => packs.repositories(),
    materialize: (repo) => driver.materialize(repo),
    erase: (repo) => tracked(erase(repo)),
    maintain: (repo) => tracked(maintain(repo)),
    countPacks: async (repo) => (await standingPacks(packs, repo)).length,
    // Never concurrently with a merge of the same packs, which would be wasted work.
    repack: (repo, git) =>
      tracked(merges.run(repoKey(repo), () => repackNatively(driver, objects.views, repo, git))),
    findFaults: async (repo, git) => findFaults(await driver.materialize(repo), git),
    sweep: (repo) => tracked(sweep(repo)),
    async close() {
      closed = true;
      while (background.size > 0) await Promise.all(background);
      await packs.close();
    },
  };
}

/** Buffers arrive from a thread as plain byte arrays. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
