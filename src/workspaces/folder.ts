/** Required state of a personal workspace's folder, and its repair. */
import { limits } from "../../contract/limits.ts";
import type { FolderDoc, FolderGrant, FolderNode } from "../../storage/folders/folders.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { isNameLike, reserveFreeName } from "../folders/tree/free-name.ts";
import type { FolderTree } from "../folders/tree/tree.ts";

/** Owner of a workspace. Without a user name they have left: the folder has no grants then, and keeps its name. */
export interface Owner {
  userId: string;
  username: string | undefined;
}

export type Flaw = "restriction" | "grants" | "parent" | "name";

const workspaceLevel = "editor";

/** Whether the repair changes the effective restriction of the content. */
export const changesEffectiveRestriction = (flaw: Flaw) => flaw === "restriction" || flaw === "parent";

/** The folder that contains all workspaces. */
export function rootIn(tree: FolderTree): FolderNode {
  const root = tree.managedRoot();
  if (root) return root;
  throw new ServiceError(
    "refused",
    "The folder that contains the personal workspaces is missing: repair the workspaces.",
    { kind: "workspace" },
  );
}

/**
 * Throws `limit_reached` if the organization has too many folders, including `more` planned ones, or they are too deep.
 */
export function checkRoom(tree: FolderTree, parentId: string | null, more: number): void {
  const { foldersPerOrganization, folderDepth } = limits;
  if (tree.size + more >= foldersPerOrganization)
    throw new ServiceError(
      "limit_reached",
      `The organization has ${foldersPerOrganization} folders, which is the limit: delete some, then retry.`,
      { limit: foldersPerOrganization },
    );
  if (parentId !== null && tree.ancestry(parentId).length >= folderDepth)
    throw new ServiceError(
      "limit_reached",
      `Folders may be ${folderDepth} deep: move the workspaces up, then retry.`,
      { limit: folderDepth },
    );
}

/**
 * Folder of a new workspace. Its reservation is kept if the folder is not created: a retry uses the same id, and the
 * reconcile job releases reservations that are never used.
 */
export async function newWorkspaceFolder(
  app: App,
  tree: FolderTree,
  id: string,
  owner: Owner & { username: string },
): Promise<FolderDoc> {
  const { tenantId } = tree;
  const now = app.now();
  const parentId = rootIn(tree)._id;
  const { name, slug } = await reserveFreeName(app, tree, { _id: id, tenantId, parentId }, owner.username);
  return {
    _id: id,
    tenantId,
    parentId,
    slug,
    name,
    restricted: true,
    grants: grantsOf(owner),
    managed: { kind: "workspace", userId: owner.userId },
    revision: 0,
    createdBy: owner.userId,
    createdAt: now,
    updatedAt: now,
  };
}

function grantsOf({ userId, username }: Owner): FolderGrant[] {
  return username === undefined ? [] : [{ type: "member", id: userId, level: workspaceLevel }];
}

/** The repaired folder of a workspace and its flaws; undefined if there are none. */
export async function repairFolder(
  app: App,
  tree: FolderTree,
  folder: FolderDoc,
  owner: Owner,
): Promise<{ folder: FolderDoc; flaws: Flaw[] } | undefined> {
  const root = rootIn(tree);
  const grants = grantsOf(owner);
  const flaws: Flaw[] = [];
  if (!folder.restricted) flaws.push("restriction");
  if (!isSame(folder.grants, grants)) flaws.push("grants");
  const isMisplaced = folder.parentId !== root._id;
  if (isMisplaced) flaws.push("parent");
  const isMisnamed = owner.username !== undefined && !isNameLike(folder.name, owner.username);
  if (isMisnamed) flaws.push("name");
  if (flaws.length === 0) return undefined;
  const repaired = { ...folder, restricted: true, grants, parentId: root._id, updatedAt: app.now() };
  if (!isMisplaced && !isMisnamed) return { folder: repaired, flaws };
  const { name, slug } = await reserveFreeName(app, tree, repaired, owner.username ?? folder.name);
  return { folder: { ...repaired, name, slug }, flaws };
}

function isSame(before: readonly FolderGrant[], after: readonly FolderGrant[]): boolean {
  return (
    before.length === after.length &&
    before.every((grant, at) => {
      const other = after[at]!;
      return grant.type === other.type && grant.id === other.id && grant.level === other.level;
    })
  );
}
