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
import { commitIfHere, isFileMode, isFolder, isSkillFolder } from "./trees.ts";
import type { Built, CommitInfo, MirrorEdit, Onto, PreparedPush, RefusedEdit } from "./types.ts";

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
  onto?: Onto,
): Promise<Built> {
  assertEdits(edits);
  const parentTree = parent === null ? undefined : (await context.trees.commit(parent)).treeOid;
  const tip = onto?.tip ? await commitIfHere(context.trees, onto.tip) : undefined;
  const writer = new PackWriter(context.packs, context.repo, parent === null ? "create" : "existing");
  try {
    const build = await Building.start(context, writer, parentTree, tip?.treeOid);
    for (const edit of edits) if (edit.kind === "remove") await build.remove(edit.path);
    for (const edit of edits) if (edit.kind === "put") await build.put(edit);
    for (const edit of edits) if (edit.kind === "index") await build.index(edit.data);
    const { tree, skills } = await build.close();
    const outcome = { tree, skills, refused: build.refused };
    const isSame = tree === (parentTree ?? emptyTree) || (skills !== null && skills === onto?.skills);
    if (isSame || onto?.isTrial === true) {
      await writer.discard();
      return { ...outcome, prepared: undefined };
    }
    const parents = onto?.parents ?? (parent === null ? [] : [parent]);
    const made = await finish(context, writer, { tree, parents, info });
    const prepared = { ...made, parent: onto ? onto.tip : parent, beside: onto !== undefined };
    return { ...outcome, prepared };
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
  { tree, parents, info }: { tree: string; parents: readonly string[]; info: CommitInfo },
): Promise<Omit<PreparedPush, "parent" | "beside">> {
  const data = encodeCommit({
    treeOid: tree,
    parents: [...parents],
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
  return { commit, tree, pack, bytes, objects: objectCount };
}

class Building {
  readonly refused: RefusedEdit[] = [];
  readonly #context: BuildContext;
  readonly #writer: PackWriter;
  readonly #root: Folder;
  /** What the host has, as it is: for what can be taken over from there. The parent comes first. */
  readonly #held: readonly Folder[];

  constructor(context: BuildContext, writer: PackWriter, root: Folder, held: readonly Folder[]) {
    this.#context = context;
    this.#writer = writer;
    this.#root = root;
    this.#held = held;
  }

  static async start(
    context: BuildContext,
    writer: PackWriter,
    parentTree: string | undefined,
    tipTree: string | undefined,
  ): Promise<Building> {
    const folderOf = async (tree: string | undefined) =>
      new Folder(tree === undefined ? [] : await context.trees.tree(tree), tree);
    const held = await Promise.all([parentTree, ...(tipTree === undefined ? [] : [tipTree])].map(folderOf));
    return new Building(context, writer, await folderOf(parentTree), held);
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
    const known = await this.#foundAt(edit.path);
    if (!known.some((one) => one.entry(svcFile)?.oid === svc)) await this.#add("blob", svc, edit.svc);
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

  /** Writes the trees that changed and answers the root's id, and that of `skills/`. */
  async close(): Promise<{ tree: string; skills: string | null }> {
    const fresh: WrittenTree[] = [];
    const root = this.#root.close((tree) => fresh.push(tree), true);
    for (const { oid, data } of fresh) await this.#add("tree", oid, data);
    const skills = this.#root.entry(skillsFolder);
    return { tree: root ?? emptyTree, skills: skills && isFolder(skills) ? skills.oid : null };
  }

  /** The directory as it is in each of the trees that the host has. */
  async #foundAt(place: string): Promise<Folder[]> {
    const found: Folder[] = [];
    for (const root of this.#held) {
      const folder = await findFolder(this.#context.trees, root, place.split("/"));
      if (folder) found.push(folder);
    }
    return found;
  }

  /** The directory as it lies in the parent or on the branch, where they have the content already. */
  async #takenOver({ path, from, contentTree }: Put): Promise<Folder | undefined> {
    for (const place of from === undefined ? [path] : [path, from])
      for (const found of await this.#foundAt(place))
        if (contentTreeOfEntries(found.list) === contentTree) return new Folder(found.list);
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

  /** Ids of everything in a directory that the host has. */
  async #knownBelow(place: string, known: Set<string>): Promise<void> {
    const { trees } = this.#context;
    let level = (await this.#foundAt(place)).flatMap(({ list }) => list);
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
