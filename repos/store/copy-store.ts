/**
 * Copies all repositories from one store to another while both are in use. Packs never change, so a copy that was
 * interrupted is continued, and a repeated one copies only what came since.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { RepoError } from "../errors.ts";
import type { PackStore } from "./driver.ts";
import { openDriver, type DriverOptions } from "./open-driver.ts";
import { copyPack } from "./pack/copy-pack.ts";
import { standingPacks } from "./pack/repack.ts";
import { assertPack } from "./remote/pack-object.ts";
import type { RepoId, StoreOptions } from "./types.ts";

export interface CopyReport {
  repositories: number;
  packs: number;
  bytes: number;
  /** Packs that can't be copied, since they are damaged: one sentence each. */
  faults: string[];
}

export interface CopyOptions {
  from: DriverOptions;
  to: DriverOptions;
  log: NonNullable<StoreOptions["log"]>;
  /** Whether a repository that only the target has is erased there. */
  isErased: (repo: RepoId) => Promise<boolean>;
  progress: (report: CopyReport) => void;
}

const repoConcurrency = 6;
const batchSize = 120;
/** Larger packs are copied in pieces. */
const wholeBytes = 8 * 1024 * 1024;
/** Listings of a repository whose packs are being replaced. */
const maxLooks = 5;

/** Throws `invalid_draft` if the target was used with another database. */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { log, isErased, progress } = options;
  const [from, to] = [openDriver(options.from, log), openDriver(options.to, log)];
  const report: CopyReport = { repositories: 0, packs: 0, bytes: 0, faults: [] };
  try {
    await assertSameService(from.packs, to.packs);
    await inBatches(from.packs.repositories(), async (repo) => {
      await copyRepository(from.packs, to.packs, repo, report);
      progress(report);
    });
    await inBatches(to.packs.repositories(), async (repo) => {
      if (!(await from.packs.exists(repo)) && (await isErased(repo))) await to.packs.erase(repo);
    });
    await copyEpoch(from.packs, to.packs);
    return report;
  } finally {
    await Promise.all([from.packs.close(), to.packs.close()]);
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

async function copyRepository(
  from: PackStore,
  to: PackStore,
  repo: RepoId,
  report: CopyReport,
): Promise<void> {
  report.repositories++;
  for (let look = 1; ; look++) {
    try {
      const [wanted, present] = await Promise.all([standingPacks(from, repo), to.list(repo)]);
      for (const pack of wanted)
        if (!present.packs.includes(pack)) await copyOne(from, to, repo, pack, report);
      return;
    } catch (error) {
      if (!(error instanceof RepoError)) throw error;
      // Erased meanwhile, in one of them.
      if (error.code === "repository_missing") return;
      if (error.code !== "pack_vanished" || look === maxLooks) throw error;
    }
  }
}

async function copyOne(from: PackStore, to: PackStore, repo: RepoId, pack: string, report: CopyReport) {
  try {
    const [index, size] = [await from.readIndex(repo, pack), await from.size(repo, pack)];
    const read = (offset: number, length: number) => from.read(repo, pack, offset, length);
    if (size > wholeBytes) await copyPack(to, repo, { pack, size, index, read }, "create");
    else await to.put(repo, pack, [await readChecked(from, repo, pack, size)], index, "create");
    report.packs++;
    report.bytes += size;
  } catch (error) {
    if (!(error instanceof RepoError) || error.code !== "object_corrupt") throw error;
    report.faults.push(`skill ${repo.skillId}: ${error.message}`);
  }
}

async function readChecked(from: PackStore, repo: RepoId, pack: string, size: number): Promise<Buffer> {
  const bytes = await from.read(repo, pack, 0, size);
  assertPack(bytes, pack);
  return bytes;
}

const epochOf = (text: string | undefined) =>
  text === undefined ? undefined : (JSON.parse(text) as { service: string; number: number });

async function assertSameService(from: PackStore, to: PackStore): Promise<void> {
  const [own, other] = [epochOf(await from.readEpoch()), epochOf(await to.readEpoch())];
  if (own !== undefined && other !== undefined && own.service !== other.service)
    throw new RepoError("invalid_draft", "the target was used with another database");
}

/** The later of both: the service may use either of them. */
async function copyEpoch(from: PackStore, to: PackStore): Promise<void> {
  const text = await from.readEpoch();
  const [own, other] = [epochOf(text), epochOf(await to.readEpoch())];
  if (text !== undefined && own!.number > (other?.number ?? -1)) await to.writeEpoch(text);
}
