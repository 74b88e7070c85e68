/** Paths of repositories in the file system, and their enumeration. */
import { join } from "node:path";
import { RepoError, asRepoError } from "../../errors.ts";
import type { MirrorId, RepoId, StoredId } from "../types.ts";
import * as files from "./files.ts";

const idPattern = /^[0-9a-f]{24}$/;

/** The id that is unique among all repositories. */
export const ownId = (repo: StoredId) => ("skillId" in repo ? repo.skillId : repo.connectionId);

/**
 * `t/<tenantId>/s/<last 2 hex of skillId>/<skillId>.git`, since an ObjectId starts with its time and only its end is
 * evenly distributed; `t/<tenantId>/mirror/<connectionId>.git` for a mirror.
 */
export function repoFolder(root: string, repo: StoredId): string {
  const id = ownId(repo);
  if (!idPattern.test(repo.tenantId) || !idPattern.test(id))
    throw new RepoError("invalid_id", "a repository is addressed by two ids of 24 hex digits");
  const below = "skillId" in repo ? join("s", id.slice(-2)) : "mirror";
  return join(root, "t", repo.tenantId, below, `${id}.git`);
}

export type PackPaths = ReturnType<typeof packPathsOf>;

export function packPathsOf(root: string) {
  const repository = (repo: StoredId) => repoFolder(root, repo);
  const folder = (repo: StoredId) => join(repository(repo), "objects", "pack");
  return {
    root,
    trash: join(root, "trash"),
    epoch: join(root, "epoch.json"),
    repository,
    folder,
    pack: (repo: StoredId, pack: string) => join(folder(repo), `pack-${pack}.pack`),
    index: (repo: StoredId, pack: string) => join(folder(repo), `pack-${pack}.idx`),
    /** The note of the packs that a pack replaces. */
    note: (repo: StoredId, pack: string) => join(folder(repo), `pack-${pack}.replaces`),
  };
}

/** The repositories of skills in the order of their paths; with `after`, those behind it. */
export async function* listRepositories(
  root: string,
  { tenants, after }: { tenants?: readonly string[]; after?: RepoId | undefined } = {},
): AsyncGenerator<RepoId> {
  const base = join(root, "t");
  for (const tenantId of namesFrom(tenants ?? (await files.namesIn(base)), after?.tenantId)) {
    const within = tenantId === after?.tenantId ? after.skillId : undefined;
    const shards = join(base, tenantId, "s");
    for (const shard of namesFrom(await files.namesIn(shards), within?.slice(-2))) {
      const passed = shard === within?.slice(-2) ? `${within}.git` : undefined;
      for (const name of namesFrom(await files.namesIn(join(shards, shard)), passed)) {
        const skillId = name.slice(0, -4);
        if (name.endsWith(".git") && name !== passed && idPattern.test(skillId) && idPattern.test(tenantId))
          yield { tenantId, skillId };
      }
    }
  }
}

const namesFrom = (names: readonly string[], start = "") => names.filter((name) => name >= start).toSorted();

/** The mirrors of connections. */
export async function* listMirrors(root: string): AsyncGenerator<MirrorId> {
  for (const tenantId of await files.namesIn(join(root, "t")))
    for (const name of await files.namesIn(join(root, "t", tenantId, "mirror"))) {
      const connectionId = name.slice(0, -4);
      if (name.endsWith(".git") && idPattern.test(connectionId) && idPattern.test(tenantId))
        yield { tenantId, connectionId };
    }
}

/** Every file system error leaves the driver as a `RepoError`. `doing`: the action, for its message. */
export async function guarded<T>(doing: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asRepoError(error, doing);
  }
}
