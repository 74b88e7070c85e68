/**
 * Repacks a repository with native git into one pack with deltas, about a third of the size of single packs. Git
 * removes nothing: old packs whose objects are all in the new ones are noted as replaced, and removed after the grace
 * period. The pack of a concurrent publish, which no ref reaches yet, stays.
 */
import { RepoError } from "../../errors.ts";
import { type NativeGit, runGit } from "../../native-git.ts";
import type { PackStore, StoreDriver } from "../driver.ts";
import { isCovered } from "../maintenance.ts";
import type { MaintenanceReport, RepoId, StoredId } from "../types.ts";
import type { PackViews } from "./views.ts";

/** A pack and its index only, as in our own packs, and within the memory that the service has available. */
const settings = [
  "repack.writeBitmaps=false",
  "pack.writeReverseIndex=false",
  "pack.packSizeLimit=256m",
  "pack.threads=1",
  "pack.windowMemory=64m",
];
const maxDurationMs = 20 * 60_000;

/** Packs that nothing has replaced yet. */
export async function standingPacks(packs: PackStore, repo: StoredId): Promise<string[]> {
  const { packs: present, notes } = await packs.list(repo);
  const replaced = new Set<string>();
  for (const note of notes)
    for (const pack of (await packs.superseded(repo, note)).replaced) if (pack !== note) replaced.add(pack);
  return present.filter((pack) => !replaced.has(pack));
}

/**
 * Repacks everything that refs reach; the caller has brought them up to date. Throws `git_missing`, and
 * `object_corrupt` if git can't read the repository.
 */
export async function repackNatively(
  driver: Pick<StoreDriver, "packs" | "writeNatively">,
  views: PackViews,
  repo: RepoId,
  git: NativeGit,
): Promise<MaintenanceReport> {
  const { packs } = driver;
  const before = await standingPacks(packs, repo);
  if (before.length < 2) return { written: 0, superseded: 0 };
  const written = await driver.writeNatively(repo, async (directory) => {
    const { exitCode, stderr } = await runGit(
      git,
      [...settings.flatMap((setting) => ["-c", setting]), "repack", "-a", "-f", "-q", "-n", "--depth=20"],
      { directory, timeoutMs: maxDurationMs },
    );
    if (exitCode === 0) return;
    const problem = `git could not pack the repository: ${stderr.trim().slice(0, 500)}`;
    throw new RepoError("object_corrupt", problem);
  });
  if (written.length === 0) return { written: 0, superseded: 0 };
  const fresh = await Promise.all(written.map((pack) => views.index(repo, pack)));
  const covered: string[] = [];
  for (const pack of before) if (isCovered(await views.index(repo, pack), fresh)) covered.push(pack);
  // A concurrent publish may have written a pack too; the note belongs to the pack with the most objects.
  const most = fresh.reduce((best, index, at) => (index.count > fresh[best]!.count ? at : best), 0);
  if (covered.length > 0) await packs.supersede(repo, written[most]!, covered);
  views.cover(repo, covered);
  return { written: written.length, superseded: covered.length };
}

/** Faults that `git fsck` finds in objects and refs; empty if there are none. Throws `git_missing`. */
export async function findFaults(directory: string, git: NativeGit): Promise<string[]> {
  const args = ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"];
  const { exitCode, stdout, stderr } = await runGit(git, args, { directory, timeoutMs: maxDurationMs });
  if (exitCode === 0) return [];
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 0 ? lines.slice(0, 20) : [`git fsck ended with ${exitCode}`];
}
