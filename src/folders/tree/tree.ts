/**
 * An organization's folders in memory, with parents, grants and effective restrictions. Cached per process; before
 * every use, the changes since its revision are applied (`trees.ts`).
 */
import { folderLevels, type FolderLevel } from "../../../contract/vocabulary.ts";
import type { FolderDoc, FolderNode } from "../../../storage/folders/folders.ts";

export type { FolderNode };

export class FolderTree {
  readonly tenantId: string;
  revision = 0;
  readonly #nodes = new Map<string, FolderNode>();
  readonly #children = new Map<string | null, Map<string, string>>();
  /** Folders of personal workspaces by user. */
  readonly #workspaces = new Map<string, string>();
  #managedRoot: string | undefined;
  /** Grants by folder, and levels by principal and folder. */
  readonly #grants = new Map<string, FolderDoc["grants"]>();
  readonly #granted = new Map<string, Map<string, FolderLevel>>();
  #grantCount = 0;
  /** Effective restrictions that were looked up at this revision. */
  readonly #effectiveRestrictions = new Map<string, string | null>();

  constructor(tenantId: string) {
    this.tenantId = tenantId;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get grantCount(): number {
    return this.#grantCount;
  }

  /** Applies the current state of folders; removes deleted ones. */
  update(changed: readonly FolderDoc[], revision: number): void {
    for (const { grants, ...node } of changed) {
      const before = this.#nodes.get(node._id);
      if (before && before.revision >= node.revision) continue;
      if (before) this.#forget(before);
      if (node.deletedAt) continue;
      this.#nodes.set(node._id, node);
      let siblings = this.#children.get(node.parentId);
      if (!siblings) this.#children.set(node.parentId, (siblings = new Map()));
      siblings.set(node.slug, node._id);
      this.#grant(node._id, grants);
      if (node.managed?.kind === "root") this.#managedRoot = node._id;
      if (node.managed?.kind === "workspace") this.#workspaces.set(node.managed.userId, node._id);
    }
    this.revision = Math.max(this.revision, revision);
    this.#effectiveRestrictions.clear();
  }

  #grant(folderId: string, grants: FolderDoc["grants"]): void {
    if (grants.length === 0) return;
    this.#grants.set(folderId, grants);
    this.#grantCount += grants.length;
    for (const { id, level } of grants) {
      let folders = this.#granted.get(id);
      if (!folders) this.#granted.set(id, (folders = new Map()));
      folders.set(folderId, level);
    }
  }

  #forget(node: FolderNode): void {
    const grants = this.#grants.get(node._id) ?? [];
    this.#grants.delete(node._id);
    this.#grantCount -= grants.length;
    for (const { id } of grants) {
      const folders = this.#granted.get(id);
      folders?.delete(node._id);
      if (folders?.size === 0) this.#granted.delete(id);
    }
    this.#nodes.delete(node._id);
    const siblings = this.#children.get(node.parentId);
    if (siblings?.get(node.slug) === node._id) siblings.delete(node.slug);
    if (siblings?.size === 0) this.#children.delete(node.parentId);
    if (this.#managedRoot === node._id) this.#managedRoot = undefined;
    const { managed } = node;
    if (managed?.kind === "workspace" && this.#workspaces.get(managed.userId) === node._id)
      this.#workspaces.delete(managed.userId);
  }

  get(id: string): FolderNode | undefined {
    return this.#nodes.get(id);
  }

  nodes(): Iterable<FolderNode> {
    return this.#nodes.values();
  }

  child(parentId: string | null, slug: string): FolderNode | undefined {
    const id = this.#children.get(parentId)?.get(slug);
    return id === undefined ? undefined : this.#nodes.get(id);
  }

  /** The folder that holds all personal workspaces. */
  managedRoot(): FolderNode | undefined {
    return this.#managedRoot === undefined ? undefined : this.#nodes.get(this.#managedRoot);
  }

  /** Folder of a user's personal workspace. */
  workspaceOf(userId: string): FolderNode | undefined {
    const id = this.#workspaces.get(userId);
    return id === undefined ? undefined : this.#nodes.get(id);
  }

  /** Personal workspace that a folder is or is inside of. */
  workspaceAround(id: string): FolderNode | undefined {
    return this.ancestry(id).find((node) => node.managed?.kind === "workspace");
  }

  hasChildren(id: string): boolean {
    return this.#children.has(id);
  }

  /** The folder and its ancestors, innermost first; empty for a missing folder. */
  ancestry(id: string): FolderNode[] {
    const chain: FolderNode[] = [];
    for (let node = this.#nodes.get(id); node;) {
      chain.push(node);
      node = node.parentId === null ? undefined : this.#nodes.get(node.parentId);
    }
    return chain;
  }

  /** Slugs from the root down, joined by slashes. */
  path(id: string): string {
    return this.ancestry(id)
      .map((node) => node.slug)
      .toReversed()
      .join("/");
  }

  /** Id of the deepest restricted folder among a folder and its ancestors: its restriction is in effect. */
  effectiveRestriction(id: string): string | null {
    const visited: string[] = [];
    let found: string | null = null;
    for (let node = this.#nodes.get(id); node;) {
      const known = this.#effectiveRestrictions.get(node._id);
      if (known !== undefined) {
        found = known;
        break;
      }
      visited.push(node._id);
      if (node.restricted) {
        found = node._id;
        break;
      }
      node = node.parentId === null ? undefined : this.#nodes.get(node.parentId);
    }
    for (const folderId of visited) this.#effectiveRestrictions.set(folderId, found);
    return found;
  }

  /** Ids of the folders that have a restriction of their own. */
  restrictedFolders(): string[] {
    return [...this.#nodes.values()].filter(({ restricted }) => restricted).map(({ _id }) => _id);
  }

  /** Grants on a folder. */
  grantsOn(folderId: string): FolderDoc["grants"] {
    return this.#grants.get(folderId) ?? [];
  }

  /** Highest level that any of the principals has on a folder. */
  levelOn(folderId: string, principals: readonly string[]): FolderLevel | null {
    let highest: FolderLevel | null = null;
    for (const id of principals) {
      const level = this.#granted.get(id)?.get(folderId);
      if (level && (highest === null || folderLevels.indexOf(level) > folderLevels.indexOf(highest)))
        highest = level;
    }
    return highest;
  }

  /** Folders with a grant to any of the principals. */
  grantedTo(principals: readonly string[]): string[] {
    return [...new Set(principals.flatMap((id) => [...(this.#granted.get(id)?.keys() ?? [])]))];
  }

  /** The tree around a folder, with another restriction and other grants on it: a plan, which changes nothing here. */
  withAccess(id: string, { restricted, grants }: Pick<FolderDoc, "restricted" | "grants">): FolderTree {
    const around = this.ancestry(id).map((node): FolderDoc => {
      if (node._id === id) return { ...node, restricted, grants };
      return { ...node, grants: this.grantsOn(node._id) };
    });
    const planned = new FolderTree(this.tenantId);
    planned.update(around, this.revision);
    return planned;
  }

  /** The folder and all its subfolders. */
  *subtree(id: string): Generator<FolderNode> {
    const rest = [id];
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const node = this.#nodes.get(next);
      if (!node) continue;
      yield node;
      rest.push(...(this.#children.get(next)?.values() ?? []));
    }
  }

  isWithin(id: string, ancestorId: string): boolean {
    return this.ancestry(id).some((node) => node._id === ancestorId);
  }
}
