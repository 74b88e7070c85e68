/** Erasure of a repository's objects, in an order that no concurrent writer and no crash can undo. */
import type { ObjectStore } from "../../object-store/types.ts";
import type { StoredId } from "../types.ts";
import { allTrash, hourOf, notesPrefix, packsPrefix, readTrashKey, tombstoneKey, trashKey } from "./keys.ts";

/** No writer is so late that it stores a pack after this time: its requests end far earlier. */
const trashMs = 2 * 3_600_000;

/** Tombstone first: a writer that does not see it has stored its pack before, which is then removed. */
export async function eraseObjects(objects: ObjectStore, repo: StoredId): Promise<void> {
  const record = [Buffer.from(new Date().toISOString())];
  await Promise.all([
    objects.put(tombstoneKey(repo), record),
    objects.put(trashKey(repo, Date.now()), record),
  ]);
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
  const end = hourOf(Date.now() - trashMs);
  for await (const { key } of objects.list(allTrash)) {
    const entry = readTrashKey(key);
    if (entry === undefined) continue;
    // Keys are listed in their order.
    if (entry.hour > end) break;
    if ((await removeObjects(objects, entry.repo)) > 0) count++;
    await objects.remove([key]);
  }
  return count;
}
