/**
 * Builds one commit on top of the parent, in one pack with the blobs, trees and the commit that the parent lacks.
 * Entries that no edit names keep their ids, so nothing outside `skills/` is read or written, except the files of a
 * marketplace.
 */
import { createHash } from "node:crypto";
import { PackageError, checkPackagePaths } from "../../contract/checks/package-rules.ts";
import { RepoError } from "../errors.ts";
import type { PackStore } from "../store/driver.ts";
import {
  buildTrees,
  encodeCommit,
  hashObject,
  parseRawTree,
  type BuiltTrees,
  type ObjectType,
} from "../store/objects.ts";
import { PackIndex } from "../store/pack/format.ts";
import { PackWriter, deflateObject } from "../store/pack/writer.ts";
import type { FileMode } from "../store/types.ts";
import { readContents, type DirectoryContent, type LeftOutEntry } from "./content.ts";
import type { GeneratedEdit } from "./generated/types.ts";
import {
  listPluginObjects,
  marketplaceDigest,
  writeGenerated,
  type GeneratedContext,
} from "./generated/write.ts";
import { assertSkillPath, skillsFolder, svcFile } from "./layout.ts";
import type { ScanContext } from "./scan.ts";
import { Folder, findFolder, folderFor, treeEntry, type WrittenTree } from "./tree-edits.ts";
import { commitIfHere, isFolder, isSkillFolder } from "./trees.ts";
import type {
  Built,
  CommitInfo,
  MirrorEdit,
  MirrorFile,
  Onto,
  PlannedEdit,
  PreparedPush,
  PutEdit,
  RefusedEdit,
  RemoveEdit,
} from "./types.ts";

const foldersOfSkill = 2000;

type PlannedPut = PlannedEdit & { kind: "put" };

export interface BuildContext extends ScanContext {
  packs: PackStore;
}

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
    for (const edit of edits) if (edit.kind === "remove") await build.remove(edit);
    for (const edit of edits) if (edit.kind === "put") await build.put(edit, edit);
    await build.generate(edits);
    const { tree, skills } = await build.close();
    const outcome = { tree, skills, refused: build.refused };
    const isSame = tree === (parentTree ?? emptyTree) || (skills !== null && skills === onto?.skills);
    if (isSame || onto?.isTrial === true) {
      await writer.discard();
      return { ...outcome, prepared: undefined };
    }
    const parents = onto?.parents ?? (parent === null ? [] : [parent]);
    const made = await finish(context, writer, { tree, parents, info });
    const prepared = { ...made, parent: onto ? onto.tip : parent, secondBranch: onto !== undefined };
    return { ...outcome, prepared };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** The edits that `buildPush` would refuse. Reads no files. */
export async function checkEdits(
  context: BuildContext,
  parent: string | null,
  edits: readonly PlannedEdit[],
): Promise<RefusedEdit[]> {
  assertEdits(edits);
  const parentTree = parent === null ? undefined : (await context.trees.commit(parent)).treeOid;
  const build = await Building.start(context, undefined, parentTree, undefined);
  for (const edit of edits) if (edit.kind === "remove") await build.remove(edit);
  for (const edit of edits) if (edit.kind === "put") await build.put(edit);
  await build.generate(edits);
  return build.refused;
}

const isGenerated = (edit: PlannedEdit): edit is GeneratedEdit =>
  edit.kind === "index" || edit.kind === "marketplace";

const emptyTree = hashObject("tree", Buffer.alloc(0));

function assertEdits(edits: readonly PlannedEdit[]): void {
  const put = new Set<string>();
  for (const edit of edits) {
    if (isGenerated(edit)) continue;
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
): Promise<Omit<PreparedPush, "parent" | "secondBranch">> {
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
  /** Undefined if the edits are only checked. */
  readonly #writer: PackWriter | undefined;
  readonly #root: Folder;
  /** Trees that the host already has, whose content can be reused; the parent first. */
  readonly #held: readonly Folder[];
  /** Generated objects that the host has. */
  #known: ReadonlySet<string> = new Set();
  /** Digest of the files of a marketplace, if there is an edit of them. */
  #marketplace: (() => Promise<string>) | undefined;

  constructor(context: BuildContext, writer: PackWriter | undefined, root: Folder, held: readonly Folder[]) {
    this.#context = context;
    this.#writer = writer;
    this.#root = root;
    this.#held = held;
  }

  static async start(
    context: BuildContext,
    writer: PackWriter | undefined,
    parentTree: string | undefined,
    tipTree: string | undefined,
  ): Promise<Building> {
    const folderOf = async (tree: string | undefined) =>
      new Folder(tree === undefined ? [] : await context.trees.tree(tree), tree);
    const held = await Promise.all([parentTree, ...(tipTree === undefined ? [] : [tipTree])].map(folderOf));
    return new Building(context, writer, await folderOf(parentTree), held);
  }

  async remove({ path, kept }: RemoveEdit): Promise<void> {
    await this.#contained(path, async () => {
      const { trees } = this.#context;
      const { above, name } = split(path);
      const folder = await findFolder(trees, this.#root, above);
      const target = await folder?.child(trees, name);
      if (folder === undefined || target === undefined) return;
      const why = await this.#inTheWay(target, kept);
      if (why !== undefined) this.refused.push({ path, why, blockedBy: path });
      else folder.remove(name);
    });
  }

  /** `content` is written; without it the edit is only checked. */
  async put(edit: PlannedPut, content?: PutEdit): Promise<void> {
    await this.#contained(edit.path, async () => {
      const { trees } = this.#context;
      const { above, name } = split(edit.path);
      const folder = await folderFor(trees, this.#root, above);
      if (!(folder instanceof Folder)) {
        this.refused.push({ path: edit.path, ...folder });
        return;
      }
      const there = await folder.child(trees, name);
      const why = there && (await this.#inTheWay(there, edit.kept, edit.contentTree));
      if (why !== undefined) this.refused.push({ path: edit.path, why, blockedBy: edit.path });
      else folder.setChild(name, content ? await this.#skillFolder(content) : checkedFolder());
    });
  }

  async #skillFolder(edit: PutEdit): Promise<Folder> {
    const skill = (await this.#takenOver(edit)) ?? (await this.#written(edit));
    const svc = hashObject("blob", edit.svc);
    const known = await this.#foundAt(edit.path);
    if (!known.some((one) => one.entry(svcFile)?.oid === svc)) await this.#add("blob", svc, edit.svc);
    skill.set(treeEntry("100644", svcFile, svc));
    return skill;
  }

  /** Skips an edit, with the reason, if the trees on its path are damaged or its files can't be read. */
  async #contained(path: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (error instanceof UnreadableFiles)
        this.refused.push({ path, why: "unreadable", blockedBy: path, cause: error.cause });
      else if (error instanceof RepoError && error.code === "invalid_remote")
        this.refused.push({ path, why: "damaged_tree", blockedBy: path });
      else throw error;
    }
  }

  /** Comes after all other edits. */
  async generate(edits: readonly PlannedEdit[]): Promise<void> {
    const { trees, objects, repo } = this.#context;
    const context: GeneratedContext = {
      trees,
      root: this.#root,
      sizeOf: async (oid) => (await objects.heads(repo, [oid])).get(oid)?.size,
      read: (oid) => objects.read(repo, oid, "blob"),
      add: (oid, data) => this.#add("blob", oid, data),
      refuse: (edit) => this.refused.push(edit),
      contained: (path, action) => this.#contained(path, action),
    };
    if (edits.some(({ kind }) => kind === "marketplace")) {
      this.#known = await listPluginObjects(trees, this.#held);
      this.#marketplace = () => marketplaceDigest(context);
    }
    for (const edit of edits) if (isGenerated(edit)) await writeGenerated(context, edit);
  }

  /** Writes the changed trees and returns the ids of the root and of `skills/`. */
  async close(): Promise<{ tree: string; skills: string | null }> {
    const fresh: WrittenTree[] = [];
    const root = this.#root.close((tree) => fresh.push(tree), true);
    for (const { oid, data } of fresh) await this.#add("tree", oid, data);
    const entry = this.#root.entry(skillsFolder);
    const skills = entry && isFolder(entry) ? entry.oid : null;
    const generated = await this.#marketplace?.();
    const both = generated && createHash("sha1").update(`${skills}\n${generated}`).digest("hex");
    return { tree: root ?? emptyTree, skills: both ?? skills };
  }

  /** The directory in each of the trees that the host has. */
  async #foundAt(place: string): Promise<Folder[]> {
    const found: Folder[] = [];
    for (const root of this.#held) {
      const folder = await findFolder(this.#context.trees, root, place.split("/"));
      if (folder) found.push(folder);
    }
    return found;
  }

  /** The directory from the parent or the branch, if one of them already has the content. */
  async #takenOver({ path, from, contentTree }: PutEdit): Promise<Folder | undefined> {
    for (const place of from === undefined ? [path] : [path, from])
      for (const found of await this.#foundAt(place))
        if ((await this.#contentOf(found)).tree === contentTree) return new Folder(found.list);
    return undefined;
  }

  /** Reason why a directory may not be replaced or removed; undefined if all its content is kept elsewhere. */
  async #inTheWay(
    there: Folder | "blocked",
    kept: ReadonlySet<string> | undefined,
    written?: string,
  ): Promise<RefusedEdit["why"] | undefined> {
    if (there === "blocked") return "path_blocked";
    if (there.isEmpty) return undefined;
    const { tree } = await this.#contentOf(there);
    if (tree === emptyTree || tree === written || kept?.has(tree)) return undefined;
    return isSkillFolder(there.list) ? "not_imported" : "occupied";
  }

  async #contentOf(folder: Folder): Promise<DirectoryContent> {
    return (await readContents(this.#context.trees, [folder.list]))[0]!;
  }

  /** Entries of the directory, or of the one that it is moved from, that are kept although they are no content. */
  async #leftOut(places: readonly string[]): Promise<readonly LeftOutEntry[]> {
    for (const place of places)
      for (const found of await this.#foundAt(place)) return (await this.#contentOf(found)).leftOut;
    return [];
  }

  async #written({ path, from, contentTree, files }: PutEdit): Promise<Folder> {
    const known = new Set<string>();
    const places = from === undefined ? [path] : [path, from];
    for (const place of places) await this.#knownBelow(place, known);
    const listed: { path: string; mode: FileMode; oid: string }[] = [];
    for await (const { path: file, mode, data } of readable(files())) {
      const oid = hashObject("blob", data);
      listed.push({ path: file, mode, oid });
      if (!known.has(oid)) await this.#add("blob", oid, data);
    }
    const content = treesOf(path, listed);
    if (content.rootOid !== contentTree)
      throw new UnreadableFiles(
        new RepoError("invalid_draft", `the files for ${path} are not those that were announced`),
      );
    const { rootOid, trees } = withLeftOut(content, listed, await this.#leftOut(places));
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
    const writer = this.#writer;
    if (writer && !writer.has(oid) && !this.#known.has(oid))
      await writer.add(type, oid, data.length, await deflateObject(data));
  }
}

/** The files of one put can't be read. Affects only its skill, not the mirror. */
class UnreadableFiles extends Error {
  constructor(cause: unknown) {
    super("the files of a skill can't be read", { cause });
  }
}

async function* readable(
  files: AsyncIterable<MirrorFile> | Iterable<MirrorFile>,
): AsyncGenerator<MirrorFile> {
  try {
    yield* files;
  } catch (error) {
    // Other errors do not concern these bytes, so a retry of the whole push may succeed.
    throw error instanceof RepoError && !error.retryable ? new UnreadableFiles(error) : error;
  }
}

/** The trees with entries that are kept although they are no content, except those below a path that is a file now. */
function withLeftOut(
  content: BuiltTrees,
  listed: readonly { path: string; mode: FileMode; oid: string }[],
  leftOut: readonly LeftOutEntry[],
): BuiltTrees {
  if (leftOut.length === 0) return content;
  const files = new Set(listed.map(({ path }) => path));
  const isBelowFile = (path: string) => {
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1))
      if (files.has(path.slice(0, end))) return true;
    return false;
  };
  return buildTrees([...listed, ...leftOut.filter(({ path }) => !isBelowFile(path))]);
}

function treesOf(path: string, listed: readonly { path: string; mode: FileMode; oid: string }[]) {
  try {
    checkPackagePaths(listed.map((file) => file.path));
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    const message = `a file for ${path} can't be exported: ${error.message}`;
    throw new UnreadableFiles(new RepoError("invalid_draft", message, { cause: error }));
  }
  return buildTrees(listed);
}

/** Placeholder for the directory of a skill while edits are checked. */
const checkedFolder = () =>
  new Folder([treeEntry("100644", "SKILL.md", hashObject("blob", Buffer.alloc(0)))]);

function split(path: string): { above: string[]; name: string } {
  const above = path.split("/");
  return { name: above.pop() ?? "", above };
}
