/** Zips of versions, created on first use and cached; large ones are created in a worker thread. */
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import { noteCount } from "../../contract/observation.ts";
import { RepoError } from "../errors.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import { type Artifacts, type ZipContent, makeArtifact } from "./artifacts.ts";
import type { PackStore } from "./driver.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { DriverOptions } from "./open-driver.ts";
import type { OpenedZip, RepoId } from "./types.ts";
import { type VersionReader, digestMismatch } from "./version-reader.ts";
import { runJob, threadBytes } from "./worker/jobs.ts";

export interface ZipCacheParts {
  /** Options with which worker threads open the driver. */
  driver: DriverOptions;
  packs: PackStore;
  objects: ObjectReader;
  versions: VersionReader;
  artifacts: Artifacts;
  threads: ThreadPool;
}

/** Opens the zip of a commit whose content has the digest. Throws `RepoError`. */
export function openZipCache({ driver, packs, objects, versions, artifacts, threads }: ZipCacheParts) {
  const creations = new SingleFlight<boolean>(Infinity);

  /** False if the content has another digest. */
  const create = (repo: RepoId, content: ZipContent, path: string) =>
    creations.run(path, async () => {
      const files = await versions.list(repo, content.treeOid);
      const total = files.reduce((sum, file) => sum + file.size, 0);
      if (total <= threadBytes) return makeArtifact(objects, repo, files, content, path);
      const { digest, form } = content;
      return runJob(threads, { kind: "zip", driver, repo, files, digest, form, path });
    });

  return async (
    repo: RepoId,
    commitOid: string,
    { digest, form }: Pick<ZipContent, "digest" | "form">,
  ): Promise<OpenedZip> => {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new RepoError("invalid_id", "a digest is 64 hex digits");
    const treeOid = await versions.treeOf(repo, commitOid);
    const content = { treeOid, digest, form };
    const path = artifacts.pathOf(repo, content);
    // Several attempts, since a sweep may remove a zip between its creation and its opening.
    for (let attempt = 0; attempt < 3; attempt++) {
      const opened = await artifacts.open(repo, content);
      if (attempt === 0) noteCount("cacheRequests", { cache: "zips", result: opened ? "hit" : "miss" });
      if (opened !== undefined) {
        noteCount(attempt === 0 ? "cacheReadBytes" : "cacheWrittenBytes", { cache: "zips" }, opened.size);
        return opened;
      }
      if (!(await create(repo, content, path))) throw digestMismatch(repo, commitOid);
      // The skill was erased concurrently: its zips were removed first, and this one was written afterwards.
      if (!(await packs.exists(repo))) {
        await artifacts.erase(repo);
        throw new RepoError("repository_missing", "the repository was erased");
      }
    }
    throw new RepoError("storage_unavailable", "the zip kept disappearing from the cache");
  };
}
