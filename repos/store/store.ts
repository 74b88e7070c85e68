import { resolve } from "node:path";
import { Coalescer } from "../../contract/concurrency/coalescer.ts";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import { RepoError } from "../errors.ts";
import { ThreadPool } from "../threads/thread-pool.ts";
import { openArtifacts } from "./artifacts.ts";
import { openCommitWriter } from "./commit-writer.ts";
import { isMergeDue, mergePacks, removeReplaced } from "./maintenance.ts";
import { ObjectReader } from "./object-reader.ts";
import { openDriver } from "./open-driver.ts";
import { findFaults, repackNatively, standingPacks } from "./pack/repack.ts";
import { repoKey } from "./pack/views.ts";
import type {
  AdvanceResult,
  Epoch,
  Identity,
  MaintenanceReport,
  RefTargets,
  RepoId,
  SharedSweepReport,
  SkillStore,
  StoreOptions,
  SweepReport,
} from "./types.ts";
import { digestMismatch, VersionReader } from "./version-reader.ts";
import { openZipCache } from "./zip-cache.ts";

/** One of them is left for other organizations. */
const workerThreads = 3;
/** Cached zips that one sweep looks at; the next one continues behind them. */
const sweptArtifacts = 20_000;
/** Maximum number of concurrent merges, which compete with publishes for the disk. */
const mergeConcurrency = 2;
const measureConcurrency = 8;

const defaults = {
  log: () => undefined,
  readHandles: 256,
  cacheBytes: 64 * 1024 * 1024,
  graceMs: 10 * 60_000,
  staleLockMs: 10_000,
  artifactIdleMs: 7 * 24 * 60 * 60_000,
  autoMaintain: true,
} as const satisfies Partial<StoreOptions>;

/** A damaged text counts as the epoch of an unknown service, so that nothing is erased. */
function parseEpoch(text: string): Epoch {
  try {
    const { service, number } = JSON.parse(text) as Partial<Epoch>;
    if (typeof service === "string" && typeof number === "number") return { service, number };
  } catch {
    // Read as a text without these fields.
  }
  return { service: "", number: 0 };
}

export function openSkillStore(given: StoreOptions): SkillStore {
  const options = { ...defaults, ...given, root: resolve(given.root) };
  const { log, graceMs, artifactIdleMs } = options;
  const { root, remote, readHandles, staleLockMs } = options;
  const driverOptions = { root, remote, readHandles, staleLockMs };
  const driver = openDriver(driverOptions, log);
  driver.copies?.schedule();
  const { packs, refs } = driver;
  const objects = new ObjectReader(packs, options.cacheBytes, log);
  const versions = new VersionReader(objects);
  const artifacts = openArtifacts(options.root);
  const threads = new ThreadPool({
    program: "./worker/thread",
    module: import.meta.url,
    threads: workerThreads,
    heapMegabytes: 256,
    pieces: Infinity,
    piecesPerCaller: Infinity,
  });
  const committer: Identity = { name: "svc", email: `git@noreply.${options.committerHost}` };
  const merges = new SingleFlight<MaintenanceReport>(mergeConcurrency);
  const advances = new Coalescer<AdvanceResult>();
  const background = new Set<Promise<unknown>>();
  let closed = false;
  const parts = { driver: driverOptions, committer, packs, objects, versions, artifacts, threads };
  const commits = openCommitWriter(parts, (repo) => {
    if (options.autoMaintain && !closed && isMergeDue(objects.views.counts(repo)))
      inBackground(maintain(repo));
  });
  const openZip = openZipCache(parts);

  function assertOpen(): void {
    if (closed) throw new RepoError("store_closed", "the store is closed");
  }

  function inBackground(work: Promise<unknown>): void {
    tracked(work).catch((error: unknown) => {
      if (error instanceof RepoError && error.code === "repository_missing") return;
      log({ level: "warn", msg: "maintenance failed", error: String(error) });
    });
  }

  /** `close` waits for the work; its caller handles its failure. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.then(
      () => background.delete(settled),
      () => background.delete(settled),
    );
    background.add(settled);
    return work;
  }

  async function verify(repo: RepoId, commitOid: string, expectedDigest: string): Promise<void> {
    assertOpen();
    const found = await versions.digest(repo, await versions.treeOf(repo, commitOid));
    if (found !== expectedDigest) throw digestMismatch(repo, commitOid);
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
    // Concurrent reads may have cached something again.
    objects.forget(repo);
  }

  async function sweep(repo: RepoId): Promise<SweepReport> {
    assertOpen();
    const { locks } = await refs.sweep(repo);
    const { temporary } = await packs.sweep(repo);
    const removed = await removeReplaced(packs, objects.views, repo, graceMs, (msg, pack) =>
      log({ level: "error", msg, ...repo, pack }),
    );
    return { locks, temporary, packs: removed };
  }

  async function sweepShared(keepsTrash?: boolean): Promise<SharedSweepReport> {
    assertOpen();
    const { trash } = await packs.sweep(undefined, keepsTrash);
    return { trash, artifacts: await artifacts.sweep(artifactIdleMs, sweptArtifacts) };
  }

  return {
    writeCommit: async (repo, draft) => {
      assertOpen();
      return tracked(commits.write(repo, draft));
    },
    recommit: async (repo, written, draft) => {
      assertOpen();
      return tracked(commits.rewrite(repo, written, draft));
    },
    assemble: async (repo, draft) => {
      assertOpen();
      return tracked(commits.assemble(repo, draft));
    },
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
    openZip: async (repo, commitOid, digest, form = "deflated") => {
      assertOpen();
      return tracked(openZip(repo, commitOid, { digest, form }));
    },
    advanceRefs: (repo, read) => tracked(advanceRefs(repo, read)),
    readRefs: (repo) => refs.read(repo),
    exists: (repo) => packs.exists(repo),
    wasErased: (repo) => packs.wasErased(repo),
    listRepos: (after) => packs.repositories(after),
    listReposToSweep: (after) => packs.toSweep(after),
    materialize: (repo) => driver.materialize(repo),
    erase: (repo) => tracked(erase(repo)),
    maintain: (repo) => tracked(maintain(repo)),
    countPacks: async (repo) => (await standingPacks(packs, repo)).length,
    async measure(repo) {
      const standing = await standingPacks(packs, repo);
      const sizes = await mapLimit(standing, measureConcurrency, (pack) => packs.size(repo, pack));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    // Never concurrently with a merge of the same packs, which would be wasted work.
    repack: (repo, git) =>
      tracked(merges.run(repoKey(repo), () => repackNatively(driver, objects.views, repo, git))),
    findFaults: async (repo, git) => findFaults(await driver.materialize(repo), git),
    sweep: (repo) => tracked(sweep(repo)),
    sweepShared: (keepsTrash) => tracked(sweepShared(keepsTrash)),
    async readEpoch() {
      const text = await packs.readEpoch();
      return text === undefined ? undefined : parseEpoch(text);
    },
    writeEpoch: (epoch) => tracked(packs.writeEpoch(JSON.stringify(epoch))),
    async close() {
      closed = true;
      while (background.size > 0) await Promise.all(background);
      await threads.close();
      await packs.close();
    },
  };
}
