/**
 * One commit on top of the parent, in one pack: the blobs, trees and the commit that the parent does not have. What no
 * edit names keeps its id, so nothing outside `skills/` is read, let alone written.
 */
import { PackageError, checkPackagePaths } from "../../contract/package-rules.ts";
import { RepoError } from "../errors.ts";
import type { PackStore } from "../store/driver.ts";
import { buildTrees, encodeCommit, hashObject, parseRawTree, type ObjectType } from "../store/objects.ts";
import { PackIndex } from "../store/pack-format.ts";
import { PackWriter, deflateObject } from "../store/pack-writer.ts";
import type { FileMode } from "../store/types.ts";
import { assertSkillPath, indexPath, skillsFolder, svcFile } from "./layout.ts";
import { contentTreeOfEntries, type ScanContext } from "./scan.ts";
import { Folder, findFolder, folderFor, treeEntry, type WrittenTree } from "./tree-edits.ts";
import { isFileMode, isFolder, isSkillFolder } from "./trees.ts";
import type { Built, CommitInfo, MirrorEdit, PreparedPush, RefusedEdit } from "./types.ts";

const foldersOfSkill = 2000;

export interface BuildContext extends ScanContext {
  packs: PackStore;
}

type Put = MirrorEdit & { kind: "put" };

export async function buildPush(
  context: BuildContext,
  parent: string | null,
  edits: readonly MirrorEdit[],
  info: CommitInfo,
): Promise<Built> {
  assertEdits(edits);
  const parentTree = parent === null ? undefined : (await context.trees.commit(parent)).treeOid;
  const writer = new PackWriter(context.packs, context.repo, parent === null ? "create" : "existing");
  try {
    const build = await Building.start(context, writer, parentTree);
    for (const edit of edits) if (edit.kind === "remove") await build.remove(edit.path);
    for (const edit of edits) if (edit.kind === "put") await build.put(edit);
    for (const edit of edits) if (edit.kind === "index") await build.index(edit.data);
    const tree = await build.close();
    if (tree === parentTree || (parentTree === undefined && tree === emptyTree)) {
      await writer.discard();
      return { prepared: undefined, refused: build.refused };
    }
    return { prepared: await finish(context, writer, parent, tree, info), refused: build.refused };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

const emptyTree = hashObject("tree", Buffer.alloc(0));

function assertEdits(edits: readonly MirrorEdit[]): void {
  const put = new Set<string>();
  for (const edit of edits) {
    if (edit.kind === "index") continue;
    assertSkillPath(edit.path);
    if (edit.kind === "remove") continue;
    if (edit.from !== undefined) assertSkillPath(edit.from);
    if (put.has(edit.path)) throw new RepoError("invalid_draft", `${JSON.stringify(edit.path)} is put twice`);
    put.add(edit.path);
  }
}

async function finish(
  { repo, objects }: BuildContext,
  writer: PackWriter,
  parent: string | null,
  tree: string,
  info: CommitInfo,
): Promise<PreparedPush> {
  const data = encodeCommit({
    treeOid: tree,
    parents: parent === null ? [] : [parent],
    author: info.author,
    committer: info.committer ?? info.author,
    at: info.at,
    text: info.message.endsWith("\n") ? info.message : `${info.message}\n`,
  });
  const commit = hashObject("commit", data);
  await writer.add("commit", commit, data.length, await deflateObject(data));
  const objectCount = writer.count;
  const { pack, index, bytes } = await writer.publish();
  objects.views.add(repo, pack, new PackIndex(index), bytes);
  return { parent, commit, tree, pack, bytes, objects: objectCount };
}

class Building {
  readonly refused: RefusedEdit[] = [];
  readonly #context: BuildContext;
  readonly #writer: PackWriter;
  readonly #root: Folder;
  /** The parent as it is, for what can be taken over from it. */
  readonly #parent: Folder;

  constructor(context: BuildContext, writer: PackWriter, root: Folder, parent: Folder) {
    this.#context = context;
    this.#writer = writer;
    this.#root = root;
    this.#parent = parent;
  }

  static async start(
    context: BuildContext,
    writer: PackWriter,
    parentTree: string | undefined,
  ): Promise<Building> {
    const entries = parentTree === undefined ? [] : await context.trees.tree(parentTree);
    return new Building(context, writer, new Folder(entries, parentTree), new Folder(entries, parentTree));
  }

  async remove(path: string): Promise<void> {
    const { trees } = this.#context;
    const { above, name } = split(path);
    const folder = await findFolder(trees, this.#root, above);
    const target = await folder?.child(trees, name);
    if (folder === undefined || target === undefined) return;
    // What is no skill's is not ours to remove.
    if (target === "blocked" || !isSkillFolder(target.list))
      this.refused.push({ path, why: target === "blocked" ? "path_blocked" : "occupied", blockedBy: path });
    else folder.remove(name);
  }

  async put(edit: Put): Promise<void> {
    const { trees } = this.#context;
    const { above, name } = split(edit.path);
    const folder = await folderFor(trees, this.#root, above);
    if (!(folder instanceof Folder)) {
      this.refused.push({ path: edit.path, ...folder });
      return;
    }
    const there = await folder.child(trees, name);
    if (there === "blocked" || (there !== undefined && !there.isEmpty && !isSkillFolder(there.list))) {
      const why = there === "blocked" ? "path_blocked" : "occupied";
      this.refused.push({ path: edit.path, why, blockedBy: edit.path });
      return;
    }
    const skill = (await this.#takenOver(edit)) ?? (await this.#written(edit));
    const svc = hashObject("blob", edit.svc);
    const known = (await findFolder(trees, this.#parent, edit.path.split("/")))?.entry(svcFile);
    if (known?.oid !== svc) await this.#add("blob", svc, edit.svc);
    skill.set(treeEntry("100644", svcFile, svc));
    folder.setChild(name, skill);
  }

  async index(data: Buffer): Promise<void> {
    const { trees } = this.#context;
    const folder = await folderFor(trees, this.#root, [skillsFolder]);
    if (!(folder instanceof Folder)) {
      this.refused.push({ path: indexPath, ...folder });
      return;
    }
    const name = indexPath.slice(skillsFolder.length + 1);
    const oid = hashObject("blob", data);
    const entry = folder.entry(name);
    if (entry?.oid === oid) return;
    if (entry !== undefined && !isFileMode(entry.mode)) {
      this.refused.push({ path: indexPath, why: "path_blocked", blockedBy: indexPath });
      return;
    }
    await this.#add("blob", oid, data);
    folder.set(treeEntry("100644", name, oid));
  }

  /** Writes the trees that changed and answers the root's id. */
  async close(): Promise<string> {
    const fresh: WrittenTree[] = [];
    const root = this.#root.close((tree) => fresh.push(tree), true);
    for (const { oid, data } of fresh) await this.#add("tree", oid, data);
    return root ?? emptyTree;
  }

  /** The directory as it lies in the parent, where that has the content already. */
  async #takenOver({ path, from, contentTree }: Put): Promise<Folder | undefined> {
    for (const place of from === undefined ? [path] : [path, from]) {
      const found = await findFolder(this.#context.trees, this.#parent, place.split("/"));
      if (found !== undefined && contentTreeOfEntries(found.list) === contentTree)
        return new Folder(found.list);
    }
    return undefined;
  }

  async #written({ path, from, contentTree, files }: Put): Promise<Folder> {
    const known = new Set<string>();
    for (const place of from === undefined ? [path] : [path, from]) await this.#knownBelow(place, known);
    const listed: { path: string; mode: FileMode; oid: string }[] = [];
    for await (const { path: file, mode, data } of files()) {
      const oid = hashObject("blob", data);
      listed.push({ path: file, mode, oid });
      if (!known.has(oid)) await this.#add("blob", oid, data);
    }
    try {
      checkPackagePaths(listed.map((file) => file.path));
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      throw new RepoError("invalid_draft", `a file for ${path} can't be exported: ${error.message}`, {
        cause: error,
      });
    }
    const { rootOid, trees } = buildTrees(listed);
    if (rootOid !== contentTree)
      throw new RepoError("invalid_draft", `the files for ${path} are not those that were announced`);
    let root: Buffer = Buffer.alloc(0);
    for (const { oid, data } of trees)
      if (oid === rootOid) root = data;
      else if (!known.has(oid)) await this.#add("tree", oid, data);
    return new Folder(parseRawTree(root));
  }

  /** Ids of everything in a directory of the parent: what the host has. */
  async #knownBelow(place: string, known: Set<string>): Promise<void> {
    const { trees } = this.#context;
    const start = await findFolder(trees, this.#parent, place.split("/"));
    let level = start?.list ?? [];
    for (let looked = 0; level.length > 0 && looked <= foldersOfSkill;) {
      const folders = level.filter((entry) => isFolder(entry) && !known.has(entry.oid));
      for (const { oid } of level) known.add(oid);
      looked += folders.length;
      level = [...(await trees.trees(folders.map(({ oid }) => oid))).values()].flat();
    }
  }

  async #add(type: ObjectType, oid: string, data: Buffer): Promise<void> {
    if (!this.#writer.has(oid)) await this.#writer.add(type, oid, data.length, await deflateObject(data));
  }
}

function split(path: string): { above: string[]; name: string } {
  const above = path.split("/");
  return { name: above.pop() ?? "", above };
}
