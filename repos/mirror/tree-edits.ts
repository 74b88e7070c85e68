/** Edits a foreign tree by path: only the folders on the path are read and rewritten. */
import { RepoError } from "../errors.ts";
import { RawTreeEntry, hashObject, isTreeMode } from "../store/objects.ts";
import { rootFileOf, type TreeReader } from "./trees.ts";
import type { RefusedEdit } from "./types.ts";

/** Entries by the bytes of their names, in the order of the tree. */
type Entries = Map<string, RawTreeEntry>;

export interface WrittenTree {
  oid: string;
  data: Buffer;
}

const byteName = (entry: RawTreeEntry) => entry.nameBytes.toString("latin1");
const bytesOf = (name: string) => Buffer.from(name).toString("latin1");

function asEntries(list: readonly RawTreeEntry[]): Entries {
  const entries: Entries = new Map(list.map((entry) => [byteName(entry), entry]));
  if (entries.size !== list.length)
    throw new RepoError("invalid_remote", "the repository has a folder with two entries of one name");
  return entries;
}

export function treeEntry(mode: string, name: string, oid: string): RawTreeEntry {
  const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);
  return new RawTreeEntry(bytes, 0, mode.length, bytes.length - 21);
}

/** Git's order, as native git checks it: a folder sorts as if its name ended in a slash. */
const sortKey = (entry: RawTreeEntry) => (isTreeMode(entry.mode) ? `${byteName(entry)}/` : byteName(entry));

/** Inserts new entries in order. The others are unchanged, even in a tree that is not sorted. */
function merged(entries: Entries, added: ReadonlySet<string>): RawTreeEntry[] {
  const fresh = [...added].flatMap((name) => entries.get(name) ?? []);
  const waiting = fresh.map((entry) => ({ key: sortKey(entry), entry }));
  waiting.sort((a, b) => (a.key < b.key ? -1 : 1));
  const result: RawTreeEntry[] = [];
  let next = 0;
  for (const [name, entry] of entries) {
    if (added.has(name)) continue;
    for (const key = sortKey(entry); next < waiting.length && waiting[next]!.key < key; next++)
      result.push(waiting[next]!.entry);
    result.push(entry);
  }
  return [...result, ...waiting.slice(next).map(({ entry }) => entry)];
}

export class Folder {
  /** Id in the parent commit; undefined for a new one. */
  readonly #was: string | undefined;
  readonly #entries: Entries;
  readonly #children = new Map<string, Folder>();
  /** Names that the parent does not have, or has for something of another kind. */
  readonly #added = new Set<string>();

  constructor(entries: readonly RawTreeEntry[], was?: string) {
    this.#was = was;
    this.#entries = asEntries(entries);
  }

  get isEmpty(): boolean {
    if (this.#entries.size > this.#children.size) return false;
    for (const name of this.#entries.keys()) if (!this.#children.has(name)) return false;
    return [...this.#children.values()].every((child) => child.isEmpty);
  }

  get list(): RawTreeEntry[] {
    return [...this.#entries.values()];
  }

  entry(name: string): RawTreeEntry | undefined {
    return this.#entries.get(bytesOf(name));
  }

  set(entry: RawTreeEntry): void {
    const name = byteName(entry);
    const known = this.#entries.get(name);
    if (known === undefined || isTreeMode(known.mode) !== isTreeMode(entry.mode)) this.#added.add(name);
    this.#children.delete(name);
    this.#entries.set(name, entry);
  }

  remove(name: string): void {
    this.#children.delete(bytesOf(name));
    this.#entries.delete(bytesOf(name));
  }

  /** `blocked` if the entry of that name is not a folder. */
  async child(trees: TreeReader, name: string): Promise<Folder | "blocked" | undefined> {
    const known = this.#children.get(bytesOf(name));
    if (known !== undefined) return known;
    const entry = this.entry(name);
    if (entry === undefined) return undefined;
    if (!isTreeMode(entry.mode)) return "blocked";
    const child = new Folder(await trees.tree(entry.oid), entry.oid);
    this.#children.set(bytesOf(name), child);
    return child;
  }

  /** Replaces the existing folder, or adds a new one. */
  setChild(name: string, child: Folder): void {
    this.#children.set(bytesOf(name), child);
  }

  /** Emits all new trees, inner ones first; undefined for an empty folder. */
  close(write: (tree: WrittenTree) => void, isRoot = false): string | undefined {
    for (const [name, child] of this.#children) {
      const oid = child.close(write);
      const known = this.#entries.get(name);
      if (oid === undefined) this.#entries.delete(name);
      // An equivalent entry keeps its bytes.
      else if (known?.oid !== oid || !isTreeMode(known.mode)) {
        if (known === undefined || !isTreeMode(known.mode)) this.#added.add(name);
        this.#entries.set(name, treeEntry("40000", Buffer.from(name, "latin1").toString("utf8"), oid));
      }
    }
    if (this.#entries.size === 0 && !isRoot) return undefined;
    const data = Buffer.concat(merged(this.#entries, this.#added).map(({ bytes }) => bytes));
    const oid = hashObject("tree", data);
    if (oid !== this.#was) write({ oid, data });
    return oid;
  }
}

export type Blocked = Omit<RefusedEdit, "path">;

/** The parent folder of a skill's directory, created if missing; or the entry that prevents it. */
export async function folderFor(
  trees: TreeReader,
  root: Folder,
  components: readonly string[],
): Promise<Folder | Blocked> {
  let at = root;
  for (const [i, name] of components.entries()) {
    const path = components.slice(0, i + 1).join("/");
    let next = await at.child(trees, name);
    if (next === "blocked") return { why: i === 0 ? "skills_blocked" : "path_blocked", blockedBy: path };
    if (next !== undefined && i > 0 && rootFileOf(next.list) !== undefined)
      return { why: "inside_skill", blockedBy: path };
    if (next === undefined) at.setChild(name, (next = new Folder([])));
    at = next;
  }
  return at;
}

/** The folder at a path, if there is one. */
export async function findFolder(
  trees: TreeReader,
  root: Folder,
  components: readonly string[],
): Promise<Folder | undefined> {
  let at = root;
  for (const name of components) {
    const next = await at.child(trees, name);
    if (next === undefined || next === "blocked") return undefined;
    at = next;
  }
  return at;
}
