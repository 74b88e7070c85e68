/** What the folder of a personal workspace must be, and what is wrong with one. */
import type { FolderDoc, FolderGrant, FolderNode } from "../../storage/folders.ts";
import { limits } from "../../contract/limits.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { isNameLike, takeFreeName } from "../folders/free-name.ts";
import type { FolderTree } from "../folders/tree.ts";

/** Whose workspace it is; without a user name they have left: nobody has a grant then, and the name stays. */
export interface Holder {
  userId: string;
  username: string | undefined;
}

export type Flaw = "restriction" | "grants" | "parent" | "name";

const workspaceLevel = "editor";

/** Whether mending this changes which folder governs the skills beneath. */
export const isGoverning = (flaw: Flaw) => flaw === "restriction" || flaw === "parent";

/** The folder that holds all workspaces. */
export function rootIn(tree: FolderTree): FolderNode {
  const root = tree.managedRoot();
  if (root) return root;
  throw new ServiceError(
    "refused",
    "The folder that holds the personal workspaces is missing: repair the workspaces.",
    { kind: "workspace" },
  );
}

/** Throws `limit_reached` where no more folders go into the organization, or not so deep. `more` were planned already. */
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
 * A new workspace. Its place is taken and not given back if the folder does not come to be: whoever goes on with it
 * does so under the same id, and what nobody goes on with is freed by the reconcile job.
 */
export async function newWorkspaceFolder(
  app: App,
  tree: FolderTree,
  id: string,
  holder: Holder & { username: string },
): Promise<FolderDoc> {
  const { tenantId } = tree;
  const now = app.now();
  const parentId = rootIn(tree)._id;
  const { name, slug } = await takeFreeName(app, tree, { _id: id, tenantId, parentId }, holder.username);
  return {
    _id: id,
    tenantId,
    parentId,
    slug,
    name,
    restricted: true,
    grants: grantsOf(holder),
    managed: { kind: "workspace", userId: holder.userId },
    revision: 0,
    createdBy: holder.userId,
    createdAt: now,
    updatedAt: now,
  };
}

function grantsOf({ userId, username }: Holder): FolderGrant[] {
  return username === undefined ? [] : [{ type: "member", id: userId, level: workspaceLevel }];
}

/** A workspace's folder as it must be, with what was wrong; undefined where nothing is. */
export async function mendFolder(
  app: App,
  tree: FolderTree,
  folder: FolderDoc,
  holder: Holder,
): Promise<{ folder: FolderDoc; flaws: Flaw[] } | undefined> {
  const root = rootIn(tree);
  const grants = grantsOf(holder);
  const flaws: Flaw[] = [];
  if (!folder.restricted) flaws.push("restriction");
  if (!isSame(folder.grants, grants)) flaws.push("grants");
  const isAstray = folder.parentId !== root._id;
  if (isAstray) flaws.push("parent");
  const isMisnamed = holder.username !== undefined && !isNameLike(folder.name, holder.username);
  if (isMisnamed) flaws.push("name");
  if (flaws.length === 0) return undefined;
  const mended = { ...folder, restricted: true, grants, parentId: root._id, updatedAt: app.now() };
  if (!isAstray && !isMisnamed) return { folder: mended, flaws };
  const { name, slug } = await takeFreeName(app, tree, mended, holder.username ?? folder.name);
  return { folder: { ...mended, name, slug }, flaws };
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
