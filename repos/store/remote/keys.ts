/** Keys of the objects of repositories. They consist of ids only, as the paths of the file system do. */
import { RepoError } from "../../errors.ts";
import type { RepoId, StoredId } from "../types.ts";

const idPattern = /^[0-9a-f]{24}$/;
const packPattern = /^[0-9a-f]{40}$/;

function pathOf(repo: StoredId): string {
  const id = "skillId" in repo ? repo.skillId : repo.connectionId;
  if (!idPattern.test(repo.tenantId) || !idPattern.test(id))
    throw new RepoError("invalid_id", "a repository is addressed by two ids of 24 hex digits");
  return `${repo.tenantId}/${"skillId" in repo ? "s" : "mirror"}/${id}`;
}

/** Prefix of a repository's packs, each of which is named by the checksum of its bytes. */
export const packsPrefix = (repo: StoredId) => `t/${pathOf(repo)}/`;
export const packKey = (repo: StoredId, pack: string) => `${packsPrefix(repo)}${pack}`;

/** Prefix of all notes of replaced packs: separate from the packs, so that those repositories are found quickly. */
export const allNotes = "replaced/";
export const notesPrefix = (repo: StoredId) => `${allNotes}${pathOf(repo)}/`;
export const noteKey = (repo: StoredId, pack: string) => `${notesPrefix(repo)}${pack}`;

/** The tombstone of an erased repository, which stays, since an id is not used twice. */
export const tombstoneKey = (repo: StoredId) => `erased/${pathOf(repo)}`;
export const tombstonesPrefix = (tenantId: string) => `erased/${tenantId}/s/`;

/** Repositories that were erased within the last hours, by the hour: a sweep removes what late writers have left. */
export const allTrash = "trash/";
export const hourOf = (time: number) => String(Math.floor(time / 3_600_000)).padStart(8, "0");
export const trashKey = (repo: StoredId, time: number) => `${allTrash}${hourOf(time)}/${pathOf(repo)}`;
/** The hour and the repository of an entry; undefined for a key of another form. */
export function readTrashKey(key: string): { hour: string; repo: RepoId } | undefined {
  const [, hour = "", ...rest] = key.split("/");
  const repo = repoOfKey(`/${rest.join("/")}`);
  return repo && { hour, repo };
}

export const epochKey = "epoch.json";

export const isPackName = (name: string) => packPattern.test(name);
export const isId = (name: string) => idPattern.test(name);

/** The repository in a key of notes or tombstones; undefined for a key of another form. */
export function repoOfKey(key: string): RepoId | undefined {
  const [, tenantId = "", kind, skillId = ""] = key.split("/");
  return kind === "s" && isId(tenantId) && isId(skillId) ? { tenantId, skillId } : undefined;
}
