/** The folder of a repository for native git, made of copies of its packs. */
import { utimes, writeFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { RepoError } from "../../errors.ts";
import type { PackStore, RefView } from "../driver.ts";
import { PackIndex } from "../pack/format.ts";
import { repoKey } from "../pack/views.ts";
import * as files from "../posix/files.ts";
import { guarded, packPathsOf } from "../posix/layout.ts";
import type { RepoId, StoredRefs } from "../types.ts";
import type { PackCache } from "./pack-cache.ts";
import { servedMark, servedMs } from "./trim-cache.ts";

export interface ServedOptions {
  root: string;
  local: PackStore;
  cache: PackCache;
  refs: RefView;
  /** Names of the packs in the object store. */
  listPacks: (repo: RepoId) => Promise<string[]>;
}

const fillConcurrency = 8;
/** Time in which a folder is used without looking at the object store, as long as the refs are the same. */
const freshMs = servedMs / 6;
/** A copy whose pack is not in the object store is removed at this age: before that, it may be on its way there. */
const abandonedMs = 3_600_000;

export function openServed({ root, local, cache, refs, listPacks }: ServedOptions) {
  const fresh = new LRUCache<string, string>({ max: 10_000, ttl: freshMs });
  const paths = packPathsOf(root);

  async function fill(repo: RepoId, stored: StoredRefs): Promise<void> {
    const packs = await listPacks(repo);
    await mapLimit(packs, fillConcurrency, (pack) => cache.fill(repo, pack));
    await assertComplete(repo, packs, stored);
    await removeAbandoned(repo, packs);
  }

  /** Git would serve a repository without its objects as an empty one. Throws `object_missing`. */
  async function assertComplete(repo: RepoId, packs: readonly string[], { main, head }: StoredRefs) {
    const wanted = new Set([main, head].filter((oid) => oid !== null));
    for (const pack of packs) {
      if (wanted.size === 0) return;
      const index = new PackIndex(await cache.readIndex(repo, pack));
      for (const oid of wanted) if (index.find(oid) !== -1) wanted.delete(oid);
    }
    if (wanted.size > 0)
      throw new RepoError(
        "object_missing",
        `the object store lacks the commit ${[...wanted].join(", ")} of ${repo.skillId}: run verify`,
      );
  }

  async function removeAbandoned(repo: RepoId, packs: readonly string[]): Promise<void> {
    for (const pack of (await local.list(repo)).packs)
      if (!packs.includes(pack) && ((await files.ageMs(paths.pack(repo, pack))) ?? 0) > abandonedMs)
        await local.remove(repo, { packs: [pack] });
  }

  return {
    /** Returns the folder with all objects. Throws `repository_missing`, `object_missing`, `storage_full`. */
    async open(repo: RepoId): Promise<string> {
      const stored = await refs.read(repo);
      const state = JSON.stringify(stored);
      if (fresh.get(repoKey(repo)) !== state) {
        await guarded("mark a served repository", () => mark(servedMark(root, repo)));
        await fill(repo, stored);
        fresh.set(repoKey(repo), state);
      }
      return paths.repository(repo);
    },
    forget: (repo: RepoId) => void fresh.delete(repoKey(repo)),
  };
}

/** Sets the age of a file to zero. */
async function mark(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => writeFile(path, ""));
}
