/** The tree of folders and skills, and the rows of it that are open. Pure. */
import type { Folder, Skill } from "../../api/folders.ts";

export type Item = { kind: "folder"; folder: Folder } | { kind: "skill"; skill: Skill };
export interface Tree {
  folders: ReadonlyMap<string, Folder>;
  /** By the parent's id; null is the root. */
  children: ReadonlyMap<string | null, Folder[]>;
  skills: ReadonlyMap<string | null, Skill[]>;
  /** Number of rows that stand for skills that are still loaded, by folder: their skills are shown all at once. */
  pending: ReadonlyMap<string | null, number>;
  /** Skills in each folder and its subfolders. */
  counts: ReadonlyMap<string, number>;
}
/** An item, or the place of a skill that is still loaded. */
export type RowItem = Item | { kind: "pending" };
export interface Row {
  key: string;
  item: RowItem;
  level: number;
  position: number;
  siblings: number;
  isOpen: boolean;
  hasChildren: boolean;
}
export type TypeFilter = "skill" | "rule";
export const stalenesses = ["unchanged", "uninstalled"] as const;
/** Not changed in a year, or not installed or updated in 90 days. */
export type Staleness = (typeof stalenesses)[number];
/** The part of the address that belongs to the page. */
export interface LibrarySearch {
  filter?: string;
  type?: TypeFilter;
  /** Id of a folder that contains the skills. */
  folder?: string;
  tag?: string;
  /** Id of the account that created the skill. */
  owner?: string;
  /** Id of the team that looks after the skills. */
  team?: string;
  visibility?: Skill["visibility"];
  stale?: Staleness;
  /** Slug of the chosen skill. */
  skill?: string;
}

const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
export const keyOf = (item: Item) => (item.kind === "folder" ? item.folder.id : `skill:${item.skill.id}`);
/** The item of a row; undefined for a place that is still empty. */
export const itemOf = (row: Row | undefined): Item | undefined =>
  row === undefined || row.item.kind === "pending" ? undefined : row.item;
export const nameOf = (item: Item) => (item.kind === "folder" ? item.folder.name : item.skill.slug);
export const parentOf = (item: Item) => (item.kind === "folder" ? item.folder.parentId : item.skill.folderId);

function grouped<T>(items: T[], groupOf: (item: T) => string | null, name: (item: T) => string) {
  const groups = new Map<string | null, T[]>();
  for (const item of items) {
    const group = groupOf(item);
    const list = groups.get(group);
    if (list) list.push(item);
    else groups.set(group, [item]);
  }
  for (const list of groups.values()) list.sort((a, b) => byName.compare(name(a), name(b)));
  return groups;
}

/** Rows at the root while its skills, whose number is not known, are loaded. */
const pendingAtRoot = 3;

/**
 * Items in a folder that the caller can't see are at the root, so that they stay within reach.
 *
 * @param isLoading skills are missing: folders that lack some have rows in their places, so that no row moves later
 */
export function treeOf(folders: Folder[], skills: Skill[], isLoading = false): Tree {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const visible = (id: string | null) => (id !== null && byId.has(id) ? id : null);
  const counts = new Map(folders.map((folder) => [folder.id, folder.skillCount]));
  for (const folder of folders) {
    for (const above of ancestorsOf(byId, folder.parentId))
      counts.set(above.id, (counts.get(above.id) ?? 0) + folder.skillCount);
  }
  const loaded = grouped(
    skills,
    ({ folderId }) => visible(folderId),
    ({ slug }) => slug,
  );
  const pending = new Map<string | null, number>(isLoading ? [[null, pendingAtRoot]] : []);
  if (isLoading)
    for (const { id, skillCount } of folders)
      if ((loaded.get(id)?.length ?? 0) < skillCount) pending.set(id, skillCount);
  return {
    folders: byId,
    pending,
    children: grouped(
      folders,
      ({ parentId }) => visible(parentId),
      ({ name }) => name,
    ),
    skills: loaded,
    counts,
  };
}

/** A folder and those that contain it, from the inside out. */
export function ancestorsOf(folders: ReadonlyMap<string, Folder>, id: string | null): Folder[] {
  const found: Folder[] = [];
  for (let at = id === null ? undefined : folders.get(id); at && found.length < 1000;) {
    found.push(at);
    at = at.parentId === null ? undefined : folders.get(at.parentId);
  }
  return found;
}

/** The folder whose restriction applies in a folder: the deepest restricted one. */
export const restrictionOf = ({ folders }: Tree, id: string | null): Folder | undefined =>
  ancestorsOf(folders, id).find(({ restricted }) => restricted);

/** Whether an item would no longer be under the restriction that applies to it now. */
export function leavesRestriction(tree: Tree, item: Item, target: string | null): boolean {
  const before = restrictionOf(tree, parentOf(item));
  return before !== undefined && restrictionOf(tree, target)?.id !== before.id;
}

/** Whether an item can be put there at all: not into itself, where it is already, or into a managed folder. */
export function isMovable(tree: Tree, item: Item, target: string | null): boolean {
  if (parentOf(item) === target || (item.kind === "folder" && item.folder.managed)) return false;
  const path = ancestorsOf(tree.folders, target);
  // Personal workspaces are managed as a whole; their own subfolders are not, and their members may use them.
  if (path[0]?.managed) return false;
  return !(item.kind === "folder" && path.some(({ id }) => id === item.folder.id));
}

interface View {
  open: ReadonlySet<string>;
  filter: string;
  /** Ids of the skills that the search finds by the filter. */
  found: ReadonlySet<string>;
  /** Whether a filter other than the words is chosen. */
  isNarrowed: boolean;
  passes: (skill: Skill) => boolean;
}

/** The rows in order. With a filter, only matches and the folders that contain them, all open. */
export function rowsOf(tree: Tree, { open, filter, found, isNarrowed, passes }: View): Row[] {
  const wanted = filter.trim().toLowerCase();
  const isFiltered = wanted !== "" || isNarrowed;
  const shown = isFiltered ? matchesOf(tree, { wanted, found, isNarrowed, passes }) : undefined;
  const rows: Row[] = [];
  const visit = (parent: string | null, level: number) => {
    const pending = shown ? 0 : (tree.pending.get(parent) ?? 0);
    const skills = pending > 0 ? [] : (tree.skills.get(parent) ?? []);
    const items: RowItem[] = [
      ...(tree.children.get(parent) ?? []).map((folder) => ({ kind: "folder", folder }) as const),
      ...skills.map((skill) => ({ kind: "skill", skill }) as const),
    ].filter((item) => !shown || shown.has(keyOf(item)));
    items.push(...Array.from({ length: pending }, () => ({ kind: "pending" }) as const));
    items.forEach((item, index) => {
      const id = item.kind === "folder" ? item.folder.id : undefined;
      const hasChildren =
        id !== undefined && [tree.children, tree.skills, tree.pending].some((map) => map.has(id));
      const isOpen = hasChildren && (isFiltered || open.has(id));
      rows.push({
        key: item.kind === "pending" ? `pending:${parent ?? ""}:${index}` : keyOf(item),
        item,
        level,
        position: index + 1,
        siblings: items.length,
        isOpen,
        hasChildren,
      });
      if (isOpen) visit(id, level + 1);
    });
  };
  visit(null, 1);
  return rows;
}

interface Matching extends Pick<View, "found" | "isNarrowed" | "passes"> {
  wanted: string;
}

/** Skills whose name has the letters are shown before the search has found them by their words. */
function matchesOf(tree: Tree, { wanted, found, isNarrowed, passes }: Matching): Set<string> {
  const shown = new Set<string>();
  const add = (key: string, parent: string | null) => {
    shown.add(key);
    for (const { id } of ancestorsOf(tree.folders, parent)) shown.add(id);
  };
  for (const skill of [...tree.skills.values()].flat()) {
    const isMatch =
      found.has(skill.id) ||
      [skill.slug, skill.name, ...skill.tags].some((text) => text.toLowerCase().includes(wanted));
    if (isMatch && passes(skill)) add(`skill:${skill.id}`, skill.folderId);
  }
  if (isNarrowed) return shown;
  for (const folder of tree.folders.values())
    if (folder.name.toLowerCase().includes(wanted)) add(folder.id, folder.parentId);
  return shown;
}
