/**
 * Commits whose trees consist of versions of other repositories and of small files of their own. Objects of versions
 * are copied, so that a repository has exactly the objects that its readers may fetch.
 */
import type { PackStore } from "./driver.ts";
import { formatMessage } from "./message.ts";
import type { ObjectReader } from "./object-reader.ts";
import { buildTrees, encodeCommit, hashObject, type GitObject, type ObjectType } from "./objects.ts";
import { PackWriter, deflateObject, type PublishedPack } from "./pack/writer.ts";
import type { AssembledCommit, AssembledDraft, CopiedVersion, Identity, RepoId, SmallFile } from "./types.ts";
import { VersionReader } from "./version-reader.ts";

/** Larger blobs are read twice instead of being held in memory. */
const heldBlobBytes = 8 * 1024 * 1024;

export interface WrittenAssembly {
  assembled: AssembledCommit;
  pack: PublishedPack;
  /** The commit, for the cache. */
  objects: { oid: string; object: GitObject }[];
}

/** Writes the pack of a commit. Throws `object_missing` for a version that is not there. */
export async function assembleCommit(
  packs: PackStore,
  objects: ObjectReader,
  repo: RepoId,
  draft: AssembledDraft,
  committer: Identity,
): Promise<WrittenAssembly> {
  const writer = new PackWriter(packs, repo, draft.parent === undefined ? "create" : "existing");
  const assembly = new Assembly(writer, objects);
  try {
    const folders = new Map<string, string>();
    for (const { path, ...content } of draft.folders)
      folders.set(
        path,
        "treeOid" in content ? content.treeOid : await assembly.addTree(content.files, content.copied),
      );
    const entries = Array.from(folders, ([path, oid]) => ({ path, mode: "40000", oid }));
    const treeOid = await assembly.addTree(draft.files, [], entries);
    const data = encodeCommit({
      treeOid,
      parents: draft.parent === undefined ? [] : [draft.parent],
      author: draft.author,
      committer,
      at: draft.at,
      text: formatMessage(draft.message, {}),
    });
    const oid = await assembly.add("commit", data);
    const pack = await writer.publish();
    return { assembled: { oid, folders }, pack, objects: [{ oid, object: { type: "commit", data } }] };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

class Assembly {
  readonly #writer: PackWriter;
  readonly #objects: ObjectReader;
  readonly #versions: VersionReader;

  constructor(writer: PackWriter, objects: ObjectReader) {
    this.#writer = writer;
    this.#objects = objects;
    this.#versions = new VersionReader(objects);
  }

  async add(type: ObjectType, data: Buffer): Promise<string> {
    const oid = hashObject(type, data);
    await this.#put(type, oid, data);
    return oid;
  }

  /** Adds a tree of files, copied versions, and trees that are there. */
  async addTree(
    files: readonly SmallFile[],
    copied: readonly CopiedVersion[],
    folders: readonly { path: string; mode: string; oid: string }[] = [],
  ): Promise<string> {
    const entries = [...folders];
    for (const { path, data } of files)
      entries.push({ path, mode: "100644", oid: await this.add("blob", data) });
    for (const version of copied)
      entries.push({ path: version.path, mode: "40000", oid: await this.#copy(version) });
    const { rootOid, trees } = buildTrees(entries);
    for (const { oid, data } of trees) await this.#put("tree", oid, data);
    return rootOid;
  }

  /** Copies what a version has and the known one has not. Returns its tree. */
  async #copy({ skill, commit, known }: CopiedVersion): Promise<string> {
    const treeOid = await this.#versions.treeOf(skill, commit);
    const { files, treeOids } = await this.#versions.walk(skill, treeOid);
    const present = known === undefined ? new Set<string>() : await this.#versions.contentIds(skill, known);
    const isNew = (oid: string) => !present.has(oid) && !this.#writer.has(oid);

    for (const oid of treeOids.filter(isNew))
      await this.#put("tree", oid, await this.#objects.read(skill, oid, "tree"));
    const blobs = [...new Set(files.map(({ oid }) => oid))].filter(isNew);
    const heads = await this.#objects.heads(skill, blobs);
    const isHeld = (oid: string) => (heads.get(oid)?.size ?? 0) <= heldBlobBytes;
    const held = await this.#objects.inPackOrder(skill, blobs.filter(isHeld));
    let at = 0;
    for await (const data of this.#objects.sequence(skill, held, "blob"))
      await this.#put("blob", held[at++]!, data);
    for (const oid of blobs.filter((blob) => !isHeld(blob))) {
      const { size, stream } = await this.#objects.stream(skill, oid);
      await this.#writer.addStream(oid, size, stream);
    }
    return treeOid;
  }

  async #put(type: ObjectType, oid: string, data: Buffer): Promise<void> {
    if (!this.#writer.has(oid)) await this.#writer.add(type, oid, data.length, await deflateObject(data));
  }
}
