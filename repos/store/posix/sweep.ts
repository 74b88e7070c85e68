/** Removes what killed processes have left in the file system. */
import { join } from "node:path";
import type { StoredId } from "../types.ts";
import * as files from "./files.ts";
import type { PackPaths } from "./layout.ts";

/** A temporary file, or a pack without index, that is older than this no longer has a writer. */
const abandonedMs = 60 * 60_000;

/** Removes temporary files, and packs without an index; returns their number. */
export async function removeAbandoned(paths: PackPaths, repo: StoredId): Promise<number> {
  const folder = paths.folder(repo);
  const names = new Set(await files.orMissing(files.readdir(folder), []));
  const suspects = [...names].filter(
    (name) => name.startsWith("tmp_") || (name.endsWith(".pack") && !names.has(name.replace(/pack$/, "idx"))),
  );
  const found = suspects.map((name) => join(folder, name));
  for (const at of [
    paths.repository(repo),
    join(paths.repository(repo), "refs", "heads"),
    join(paths.repository(repo), "refs", "svc"),
  ])
    for (const name of await files.namesIn(at)) if (name.startsWith("tmp_")) found.push(join(at, name));
  let removed = 0;
  for (const path of found) {
    const age = await files.ageMs(path);
    if (age === undefined || age < abandonedMs) continue;
    await files.discard([path]);
    removed++;
  }
  return removed;
}

/** Removes repositories whose erasure was interrupted; returns their number. */
export async function emptyTrash(folder: string): Promise<number> {
  const names = await files.namesIn(folder);
  for (const name of names) await files.remove(join(folder, name), { recursive: true, force: true });
  return names.length;
}
