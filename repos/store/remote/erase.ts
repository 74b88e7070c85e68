/** Erasure of a repository's objects, in an order that no concurrent writer and no crash can undo. */
import type { ObjectStore } from "../../object-store/types.ts";
import type { StoredId } from "../types.ts";
import { allTrash, notesPrefix, packsPrefix, repoOfKey, tombstoneKey, trashKey } from "./keys.ts";

/** A writer that was late may store a pack within this time after the erasure. */
const trashMs = 24 * 3_600_000;

/** Tombstone first: a writer that does not see it has stored its pack before, which is then removed. */
export async function eraseObjects(objects: ObjectStore, repo: StoredId): Promise<void> {
  const record = [Buffer.from(new Date().toISOString())];
  await Promise.all([objects.put(tombstoneKey(repo), record), objects.put(trashKey(repo), record)]);
  await removeObjects(objects, repo);
}

async function removeObjects(objects: ObjectStore, repo: StoredId): Promise<number> {
  const found: string[] = [];
  for (const prefix of [packsPrefix(repo), notesPrefix(repo)])
    for await (const { key } of objects.list(prefix)) found.push(key);
  await objects.remove(found);
  return found.length;
}

/** Removes what late writers and interrupted erasures have left; returns the number of such repositories. */
export async function sweepTrash(objects: ObjectStore): Promise<number> {
  let count = 0;
  for await (const { key } of objects.list(allTrash)) {
    const repo = repoOfKey(key);
    if (repo === undefined) continue;
    if ((await removeObjects(objects, repo)) > 0) count++;
    const entry = await objects.get(key, 1024);
    if (entry !== undefined && entry.ageMs > trashMs) await objects.remove([key]);
  }
  return count;
}
