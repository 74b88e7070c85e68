/**
 * An organization's folders in memory: who lies in whom, and which restricted folder governs. Kept per process and
 * brought up to date by what changed since its revision, before every use (`load.ts`).
 */
import type { FolderNode } from "../../storage/folders.ts";

export class FolderTree {
  readonly tenantId: string;
  revision = 0;
  readonly #nodes = new Map<string, FolderNode>();
  readonly #children = new Map<string | null, Map<string, string>>();
  /** Governing folders that were looked up at this revision. */
  readonly #governing = new Map<string, string | null>();

  constructor(tenantId: string) {
    this.tenantId = tenantId;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Takes folders over as they are now; deleted ones go. */
  update(changed: readonly FolderNode[], revision: number): void {
    for (const node of changed) {
      const before = this.#nodes.get(node._id);
      if (before && before.revision >= node.revision) continue;
      if (before) this.#forget(before);
      if (node.deletedAt) continue;
      this.#nodes.set(node._id, node);
      let siblings = this.#children.get(node.parentId);
      if (!siblings) this.#children.set(node.parentId, (siblings = new Map()));
      siblings.set(node.slug, node._id);
    }
    this.revision = Math.max(this.revision, revision);
    this.#governing.clear();
  }

  #forget(node: FolderNode): void {
    this.#nodes.delete(node._id);
    const siblings = this.#children.get(node.parentId);
    if (siblings?.get(node.slug) === node._id) siblings.delete(node.slug);
    if (siblings?.size === 0) this.#children.delete(node.parentId);
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

  hasChildren(id: string): boolean {
    return this.#children.has(id);
  }

  /** The folder and those around it, from the inside out; empty for one that is not there. */
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

  /** The deepest restricted folder among a folder and those around it. */
  governing(id: string): string | null {
    const visited: string[] = [];
    let found: string | null = null;
    for (let node = this.#nodes.get(id); node;) {
      const known = this.#governing.get(node._id);
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
    for (const folderId of visited) this.#governing.set(folderId, found);
    return found;
  }

  /** The folder and everything beneath it. */
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
