/** Work of the store in threads: plain data. */
import type { ZipForm } from "../../archive/index.ts";
import { RepoError } from "../../errors.ts";
import { PieceError } from "../../threads/piece-error.ts";
import { type ThreadPool } from "../../threads/thread-pool.ts";
import type { WrittenAssembly } from "../assemble.ts";
import type { DriverOptions } from "../open-driver.ts";
import type { AssembledDraft, Identity, ListedFile, RepoId, VersionDraft } from "../types.ts";
import type { WrittenVersion } from "../write-version.ts";

/** Content above this size in bytes is packed and zipped in a thread. */
export const threadBytes = 1024 * 1024;
/** Far above what the largest package takes on a slow disk. */
const timeMs = 15 * 60_000;

export type WorkerJob =
  | {
      kind: "version";
      driver: DriverOptions;
      repo: RepoId;
      draft: VersionDraft;
      known: ReadonlySet<string>;
      committer: Identity;
    }
  | {
      kind: "assembly";
      driver: DriverOptions;
      repo: RepoId;
      draft: AssembledDraft;
      committer: Identity;
    }
  | {
      kind: "zip";
      driver: DriverOptions;
      repo: RepoId;
      files: readonly ListedFile[];
      digest: string;
      form: ZipForm;
      path: string;
    };

export interface WorkerResults {
  version: WrittenVersion;
  assembly: WrittenAssembly;
  zip: boolean;
}

/** Runs a job in a thread. Organizations take turns. Throws `RepoError`, `PackageError`. */
export async function runJob<K extends WorkerJob["kind"]>(
  threads: ThreadPool,
  job: WorkerJob & { kind: K },
): Promise<WorkerResults[K]> {
  try {
    return (await threads.run(job, { caller: job.repo.tenantId, timeMs })) as WorkerResults[K];
  } catch (error) {
    if (!(error instanceof PieceError)) throw error;
    throw new RepoError("storage_unavailable", "a thread of the store failed", { cause: error });
  }
}
