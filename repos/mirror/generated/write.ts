/**
 * Files that the service generates in a customer's repository: the list of skills and, if the organization wants them,
 * the files of a marketplace, which are outside `skills/`. A file is replaced or removed only if the service wrote it.
 */
import { createHash } from "node:crypto";
import { hashObject } from "../../store/objects.ts";
import type { SmallFile } from "../../store/types.ts";
import { indexPath, isOwnIndex, isOwnMarketplaceFile } from "../layout.ts";
import { Folder, findFolder, folderFor, treeEntry } from "../tree-edits.ts";
import { isFileMode, isFolder, rootFileOf, type TreeReader } from "../trees.ts";
import type { RefusedEdit } from "../types.ts";
import { pluginsFolder, type GeneratedEdit, type MarketplaceEdit, type PluginFolder } from "./types.ts";

const marketplacePaths = [
  ".agents/plugins/marketplace.json",
  ".claude-plugin/marketplace.json",
  ".cursor-plugin/marketplace.json",
  ".github/plugin/marketplace.json",
] as const;
/** Lists of plugins in `pluginsFolder`. */
const pluginLists: ReadonlySet<string> = new Set([
  ".agents/plugins/marketplace.json",
  ".cursor-plugin/marketplace.json",
]);
/** Marks the folder as the service's. */
const pluginsReadme = "README.md";
const pluginsText = Buffer.from(
  "<!-- svc:managed This folder is written anew on every sync: edits are overwritten. -->\n\n" +
    "# Plugins\n\nThe skills of `skills/` in the form that some tools install from. Edit a skill there, not here.\n",
);

/** A larger file was not written by the service. */
const generatedBytes = 16 * 1024 * 1024;

/** The tree that is edited, and its objects. */
export interface GeneratedContext {
  trees: TreeReader;
  root: Folder;
  /** Size of a blob; undefined if it is missing. */
  sizeOf(oid: string): Promise<number | undefined>;
  read(oid: string): Promise<Buffer>;
  add(oid: string, data: Buffer): Promise<void>;
  refuse(edit: RefusedEdit): void;
  /** Runs an action for a path, and refuses the edit if a tree on the path is damaged. */
  contained(path: string, action: () => Promise<void>): Promise<void>;
}

export async function writeGenerated(context: GeneratedContext, edit: GeneratedEdit): Promise<void> {
  if (edit.kind === "marketplace") return writeMarketplace(context, edit);
  const { data } = edit;
  await context.contained(indexPath, () =>
    putFile(context, { path: indexPath, data, isOwn: isOwnIndex, foreign: "index_edited" }),
  );
}

/** Digest of everything of a marketplace in a tree. */
export async function marketplaceDigest({ trees, root }: GeneratedContext): Promise<string> {
  const hash = createHash("sha1");
  for (const path of [...marketplacePaths, pluginsFolder]) {
    const { above, name } = split(path);
    hash.update(`${(await findFolder(trees, root, above))?.entry(name)?.oid ?? "-"}\n`);
  }
  return hash.digest("hex");
}

/** Ids of the objects of plugins that the host has, without the content of skills. */
export async function listPluginObjects(trees: TreeReader, held: readonly Folder[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const root of held) {
    const folder = await findFolder(trees, root, pluginsFolder.split("/"));
    let level = folder?.list ?? [];
    // Folders of plugins, then those in them: the next level is the directories of skills.
    for (let depth = 0; depth < 3 && level.length > 0; depth++) {
      const below = level.filter((entry) => isFolder(entry) && !known.has(entry.oid)).map(({ oid }) => oid);
      for (const { oid } of level) known.add(oid);
      level = depth < 2 ? [...(await trees.trees(below)).values()].flat() : [];
    }
  }
  return known;
}

async function writeMarketplace(
  context: GeneratedContext,
  { skills, content }: MarketplaceEdit,
): Promise<void> {
  const wanted = await content?.(await presentSkills(context, skills));
  let arePluginsWritten = false;
  await context.contained(pluginsFolder, async () => {
    arePluginsWritten = await putPlugins(context, wanted?.plugins);
  });
  for (const path of marketplacePaths) {
    const data = arePluginsWritten || !pluginLists.has(path) ? wanted?.files.get(path) : undefined;
    await context.contained(path, () =>
      putFile(context, { path, data, isOwn: isOwnMarketplaceFile, foreign: "marketplace_foreign" }),
    );
  }
}

async function presentSkills(
  { trees, root }: GeneratedContext,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  for (const path of paths) {
    const folder = await findFolder(trees, root, path.split("/"));
    if (folder && rootFileOf(folder.list) !== undefined) present.add(path);
  }
  return present;
}

interface WantedFile {
  path: string;
  /** Undefined: the file is removed. */
  data: Buffer | undefined;
  isOwn(data: Buffer): boolean;
  /** Reason why a file of others is not replaced. */
  foreign: "index_edited" | "marketplace_foreign";
}

async function putFile(context: GeneratedContext, { path, data, isOwn, foreign }: WantedFile): Promise<void> {
  const { above, name } = split(path);
  const folder = await openFolder(context, above, data === undefined, path);
  if (!folder) return;
  const entry = folder.entry(name);
  const oid = data && hashObject("blob", data);
  if (entry?.oid === oid) return;
  if (entry !== undefined && !isFileMode(entry.mode)) {
    if (data) context.refuse({ path, why: "path_blocked", blockedBy: path });
    return;
  }
  if (entry !== undefined && !(await isWritten(context, entry.oid, isOwn))) {
    if (data) context.refuse({ path, why: foreign, blockedBy: path });
    return;
  }
  if (!data || !oid) return folder.remove(name);
  await context.add(oid, data);
  folder.set(treeEntry("100644", name, oid));
}

/** The folder around a generated file; undefined if there is none, or if something is in its way, which is refused. */
async function openFolder(
  { trees, root, refuse }: GeneratedContext,
  components: readonly string[],
  isRemoval: boolean,
  path: string,
): Promise<Folder | undefined> {
  if (isRemoval) return findFolder(trees, root, components);
  const folder = await folderFor(trees, root, components);
  if (folder instanceof Folder) return folder;
  const why = path === indexPath ? folder.why : "path_blocked";
  refuse({ path, why, blockedBy: folder.blockedBy });
  return undefined;
}

async function isWritten(
  { sizeOf, read }: GeneratedContext,
  oid: string,
  isOwn: (data: Buffer) => boolean,
): Promise<boolean> {
  const size = await sizeOf(oid);
  return size !== undefined && size <= generatedBytes && isOwn(await read(oid));
}

/** Returns whether the folder has the plugins. */
async function putPlugins(
  context: GeneratedContext,
  plugins: readonly PluginFolder[] | undefined,
): Promise<boolean> {
  const { trees, root, refuse } = context;
  const { above, name } = split(pluginsFolder);
  const folder = await openFolder(context, above, plugins === undefined, pluginsFolder);
  const there = await folder?.child(trees, name);
  if (!folder || (plugins === undefined && !there)) return false;
  const isOthers = there === "blocked" || (there && !there.isEmpty && !(await isOwnFolder(context, there)));
  if (isOthers) {
    const why = there === "blocked" ? "path_blocked" : "marketplace_foreign";
    if (plugins) refuse({ path: pluginsFolder, why, blockedBy: pluginsFolder });
    return false;
  }
  const made = new Folder([]);
  if (plugins) await addFile(context, made, { path: pluginsReadme, data: pluginsText });
  for (const { slug, files, skill } of plugins ?? []) {
    for (const { path, data } of files) await addFile(context, made, { path: `${slug}/${path}`, data });
    const source = skill === undefined ? undefined : await findFolder(trees, root, skill.split("/"));
    const target = source && (await folderFor(trees, made, [slug, "skills"]));
    if (source && target instanceof Folder) target.setChild(slug, source);
  }
  folder.setChild(name, made);
  return plugins !== undefined;
}

async function isOwnFolder(context: GeneratedContext, folder: Folder): Promise<boolean> {
  const entry = folder.entry(pluginsReadme);
  return entry !== undefined && isFileMode(entry.mode) && isWritten(context, entry.oid, isOwnMarketplaceFile);
}

async function addFile({ trees, add }: GeneratedContext, root: Folder, file: SmallFile): Promise<void> {
  const { above, name } = split(file.path);
  const folder = await folderFor(trees, root, above);
  if (!(folder instanceof Folder)) throw new Error(`two files of a plugin are at ${file.path}`);
  const oid = hashObject("blob", file.data);
  await add(oid, file.data);
  folder.set(treeEntry("100644", name, oid));
}

function split(path: string): { above: string[]; name: string } {
  const above = path.split("/");
  return { name: above.pop() ?? "", above };
}
