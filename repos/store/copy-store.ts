/**
 * Copies all repositories from one store to another while both are in use. Packs never change, so a copy that was
 * interrupted is continued, and a repeated one copies only what came since.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { RepoError } from "../errors.ts";
import { copyRepository } from "./copy-packs.ts";
import type { PackStore } from "./driver.ts";
import { openPacks, type PackLocation } from "./open-driver.ts";
import type { RepoId, StoreOptions } from "./types.ts";

export interface CopyReport {
  repositories: number;
  packs: number;
  bytes: number;
  /** Packs that can't be copied, since they are damaged: one sentence each. */
  faults: string[];
}

export interface CopyOptions {
  from: PackLocation;
  to: PackLocation;
  log: NonNullable<StoreOptions["log"]>;
  /** Whether a repository that only the target has is erased there. */
  isErased: (repo: RepoId) => Promise<boolean>;
  progress: (report: CopyReport) => void;
}

const repoConcurrency = 6;
const batchSize = 120;

/** Throws `invalid_draft` if the target was used with another database. */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { log, isErased, progress } = options;
  const [from, to] = [openPacks(options.from, log), openPacks(options.to, log)];
  const report: CopyReport = { repositories: 0, packs: 0, bytes: 0, faults: [] };
  try {
    await assertSameService(from, to);
    await inBatches(from.repositories(), async (repo) => {
      const { copied, bytes, faults } = await copyRepository(from, to, repo);
      report.repositories++;
      report.packs += copied;
      report.bytes += bytes;
      for (const { message } of faults) report.faults.push(`skill ${repo.skillId}: ${message}`);
      progress(report);
    });
    await inBatches(to.repositories(), async (repo) => {
      if (!(await from.exists(repo)) && (await isErased(repo))) await to.erase(repo);
    });
    await copyEpoch(from, to);
    return report;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

async function inBatches(repos: AsyncIterable<RepoId>, work: (repo: RepoId) => Promise<void>): Promise<void> {
  let batch: RepoId[] = [];
  for await (const repo of repos) {
    if (batch.push(repo) < batchSize) continue;
    await mapLimit(batch, repoConcurrency, work);
    batch = [];
  }
  await mapLimit(batch, repoConcurrency, work);
}

const epochOf = (text: string | undefined) =>
  text === undefined ? undefined : (JSON.parse(text) as { service: string; number: number });

/** A target with an epoch belongs to a database, which must be that of the source: repositories are erased in it. */
async function assertSameService(from: PackStore, to: PackStore): Promise<void> {
  const [own, other] = [epochOf(await from.readEpoch()), epochOf(await to.readEpoch())];
  if (other !== undefined && own?.service !== other.service)
    throw new RepoError("invalid_draft", "the target was used with another database");
}

/** The later of both: the service may use either of them. */
async function copyEpoch(from: PackStore, to: PackStore): Promise<void> {
  const text = await from.readEpoch();
  const [own, other] = [epochOf(text), epochOf(await to.readEpoch())];
  if (text !== undefined && own!.number > (other?.number ?? -1)) await to.writeEpoch(text);
}
