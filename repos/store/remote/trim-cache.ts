/**
 * Keeps the folder of copies within its size: removes the least recently used packs and zips, and everything of
 * repositories that were erased on another machine. Processes may do this at the same time.
 */
import { join } from "node:path";
import type { ObjectStore } from "../../object-store/types.ts";
import type { PackStore } from "../driver.ts";
import * as files from "../posix/files.ts";
import { listRepositories, packPathsOf } from "../posix/layout.ts";
import type { RepoId, StoreOptions } from "../types.ts";
import { allTrash, isId, readTrashKey, repoOfKey, tombstonesPrefix } from "./keys.ts";

export interface TrimOptions {
  root: string;
  local: PackStore;
  objects: ObjectStore;
  maxBytes: number;
  log: NonNullable<StoreOptions["log"]>;
}

/** Share of the limit that is left after packs were removed. */
const keptShare = 0.85;
/** A folder without copies is removed after this time. */
const emptyMs = 3_600_000;
/** Share of the copies that is kept on a full disk. */
const fullShare = 0.7;
/** A repository that native git has opened keeps its packs for this long: far longer than a clone may take. */
export const servedMs = 30 * 60_000;

interface Copy {
  bytes: number;
  usedAt: number;
  /** False if it is in use by now. */
  remove: () => Promise<boolean>;
}

/** Removes copies of repositories that were erased within the last hours; with `isFirst`, at any time. */
export async function dropErased({ root, local, objects }: TrimOptions, isFirst: boolean): Promise<void> {
  const erased: RepoId[] = [];
  for await (const { key } of objects.list(allTrash)) {
    const entry = readTrashKey(key);
    if (entry !== undefined) erased.push(entry.repo);
  }
  const folders = isFirst ? [join(root, "t"), zipsOf(root)] : [];
  const tenants = new Set((await Promise.all(folders.map((folder) => files.namesIn(folder)))).flat());
  for (const tenantId of tenants) {
    if (!isId(tenantId)) continue;
    const cached = new Set(await skillsOf(root, tenantId));
    if (cached.size === 0) continue;
    for await (const { key } of objects.list(tombstonesPrefix(tenantId))) {
      const repo = repoOfKey(key);
      if (repo !== undefined && cached.has(repo.skillId)) erased.push(repo);
    }
  }
  for (const repo of erased) await dropCopies(root, local, repo);
}

/** Removes everything of a repository from the folder. */
export async function dropCopies(root: string, local: PackStore, repo: RepoId): Promise<void> {
  if (await local.exists(repo)) await local.erase(repo);
  await files.remove(join(zipsOf(root), repo.tenantId, repo.skillId), { recursive: true, force: true });
}

const zipsOf = (root: string) => join(root, "cache", "zips");

/** Skills with packs or zips: a zip may be there without a folder of packs. */
async function skillsOf(root: string, tenantId: string): Promise<string[]> {
  const found = await files.namesIn(join(zipsOf(root), tenantId));
  for await (const repo of listRepositories(root, { tenants: [tenantId] })) found.push(repo.skillId);
  return found;
}

/**
 * Removes the least recently used copies if all of them have more than the limit; on a full disk, in any case. Returns
 * the bytes that are left.
 */
export async function trimCopies(options: Omit<TrimOptions, "objects">, isFull: boolean): Promise<number> {
  const { root, local, log } = options;
  await local.sweep(undefined);
  const copies = await listZips(root);
  for await (const repo of listRepositories(root)) {
    await local.sweep(repo);
    copies.push(...(await listPacks(options, repo)));
  }
  let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
  const maxBytes = isFull ? Math.min(options.maxBytes, bytes * fullShare) : options.maxBytes;
  if (bytes <= maxBytes) return bytes;
  const before = bytes;
  for (const copy of copies.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (bytes <= maxBytes * keptShare) break;
    if (copy.usedAt === Infinity) break;
    if (await copy.remove()) bytes -= copy.bytes;
  }
  const level = bytes > maxBytes ? "warn" : "info";
  log({ level, msg: "removed copies from the cache", removedBytes: before - bytes, bytes, maxBytes });
  return bytes;
}

/** Packs of a repository. Those of one that is served are in use. */
async function listPacks(
  { root, local }: Pick<TrimOptions, "root" | "local">,
  repo: RepoId,
): Promise<Copy[]> {
  const paths = packPathsOf(root);
  const findServed = async () => ((await files.ageMs(servedMark(root, repo))) ?? Infinity) < servedMs;
  const isServed = await findServed();
  const copies: Copy[] = [];
  const { packs } = await local.list(repo);
  // Folders take inodes and blocks as well.
  const unusedMs = (await files.ageMs(paths.folder(repo))) ?? 0;
  if (packs.length === 0 && !isServed && unusedMs > emptyMs) await local.erase(repo);
  for (const pack of packs) {
    const [facts, index] = await Promise.all(
      [paths.pack(repo, pack), paths.index(repo, pack)].map((path) =>
        files.orMissing(files.stat(path), undefined),
      ),
    );
    if (facts === undefined) continue;
    copies.push({
      bytes: onDisk(facts) + (index === undefined ? 0 : onDisk(index)),
      usedAt: isServed ? Infinity : facts.mtimeMs,
      async remove() {
        // Listing all repositories takes a while, in which native git may have opened this one.
        if (await findServed()) return false;
        await local.remove(repo, { packs: [pack] });
        return true;
      },
    });
  }
  return copies;
}

/** Bytes that a file takes: small ones take a block. */
const onDisk = ({ size, blocks }: { size: number; blocks: number }) => Math.max(size, blocks * 512);

async function listZips(root: string): Promise<Copy[]> {
  const base = zipsOf(root);
  const copies: Copy[] = [];
  for (const tenantId of await files.namesIn(base))
    for (const skillId of await files.namesIn(join(base, tenantId)))
      for (const name of await files.namesIn(join(base, tenantId, skillId))) {
        const path = join(base, tenantId, skillId, name);
        const facts = await files.orMissing(files.stat(path), undefined);
        if (facts === undefined) continue;
        const remove = () => files.discard([path]).then(() => true);
        copies.push({ bytes: onDisk(facts), usedAt: facts.mtimeMs, remove });
      }
  return copies;
}

/** A file whose age is the time since native git has opened the repository. */
export const servedMark = (root: string, repo: RepoId) => join(packPathsOf(root).repository(repo), "served");
