/** Copies packs from one store to another, whatever their drivers. Packs never change, so a copy can be continued. */
import { RepoError } from "../errors.ts";
import type { PackStore } from "./driver.ts";
import { copyPack } from "./pack/copy-pack.ts";
import { standingPacks } from "./pack/repack.ts";
import { assertPack } from "./remote/pack-object.ts";
import type { StoredId } from "./types.ts";

/** Larger packs are copied in pieces. */
const wholeBytes = 8 * 1024 * 1024;
/** Times that packs are listed again because maintenance has just replaced one. */
const maxLists = 5;

export interface CopiedRepository {
  repo: StoredId;
  /** Packs of the target that contain the objects of the repository, in the order of their names. */
  packs: string[];
  /** Why others are missing. */
  faults: Error[];
  /** How many of them were missing in the target, and their size. */
  copied: number;
  bytes: number;
}

/** All repositories of a store, those of skills first. */
export async function* allRepositories(packs: PackStore): AsyncGenerator<StoredId> {
  yield* packs.repositories();
  yield* packs.mirrors();
}

/**
 * Copies the packs that the target lacks. One that can't be read, or has other bytes than its name says, is not copied.
 *
 * @param wanted the packs to copy; by default those that nothing has replaced
 */
export async function copyRepository(
  from: PackStore,
  to: PackStore,
  repo: StoredId,
  wanted?: readonly string[],
): Promise<CopiedRepository> {
  const present = new Set((await to.exists(repo)) ? (await to.list(repo)).packs : []);
  let [copied, bytes] = [0, 0];
  for (let lists = 1; ; lists++) {
    const packs = wanted ?? (await standingPacks(from, repo));
    const faults: Error[] = [];
    for (const pack of packs) {
      if (present.has(pack)) continue;
      try {
        bytes += await copyOne(from, to, repo, pack);
        present.add(pack);
        copied++;
      } catch (error) {
        faults.push(error as Error);
      }
    }
    const isReplaced = faults.some((error) => error instanceof RepoError && error.code === "pack_vanished");
    if (isReplaced && wanted === undefined && lists < maxLists) continue;
    return { repo, packs: packs.filter((pack) => present.has(pack)).toSorted(), copied, bytes, faults };
  }
}

/** Returns its size. */
async function copyOne(from: PackStore, to: PackStore, repo: StoredId, pack: string): Promise<number> {
  const [size, index] = await Promise.all([from.size(repo, pack), from.readIndex(repo, pack)]);
  const read = (offset: number, length: number) => from.read(repo, pack, offset, length);
  if (size > wholeBytes) await copyPack(to, repo, { pack, size, index, read }, "create");
  else {
    const bytes = await read(0, size);
    assertPack(bytes, pack);
    await to.put(repo, pack, [bytes], index, "create");
  }
  return size;
}
