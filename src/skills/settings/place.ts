/** Location of a skill: the folder that a publish or a move names, and the reservation of its slug in that folder. */
import { setTimeout as pause } from "node:timers/promises";
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden, notFound } from "../../errors.ts";
import { isVisible, accessContextIn, type FolderView } from "../../folders/load.ts";
import { createFolderPath } from "../../folders/tree/create.ts";
import { folderAtPath, readFolderPath } from "../../folders/tree/paths.ts";
import { beingDeleted, refuseManagedRoot } from "../../folders/tree/refusals.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import { isInCatalog } from "../load.ts";

/** Folder in a request, by path or id. The root by default. */
export interface FolderChoice {
  folder?: string;
  folderId?: string | null;
  createFolders?: boolean;
}

/**
 * Returns the folder's id; null is the root. With `createFolders`, missing folders are created, which the view does not
 * contain. Throws `not_found`.
 */
export async function chooseFolder(app: App, view: FolderView, choice: FolderChoice): Promise<string | null> {
  if (choice.folderId !== undefined && choice.folderId !== null) {
    if (!isVisible(view, choice.folderId)) throw notFound("folder", choice.folderId);
    return choice.folderId;
  }
  if (choice.folder === undefined || readFolderPath(choice.folder).length === 0) return null;
  if (choice.createFolders)
    return (await createFolderPath(app, view.actor, view.tree.tenantId, choice.folder, true)).folderId;
  return folderAtPath(view, choice.folder);
}

/** Requires a permission on skills in a folder, or at the root. Throws `forbidden` or `managed_folder`. */
export function checkSkillPermissionIn(
  view: FolderView,
  permission: "skill:create" | "skill:update",
  folderId: string | null,
  org: string,
): void {
  const { tree, actor } = view;
  if (!isAllowedIn(actor, permission, tree.tenantId, accessContextIn(tree, actor, folderId))) {
    const where = folderId === null ? `at the root of "${org}"` : `in folder "${tree.path(folderId)}"`;
    throw forbidden(`Your role, grant or token does not allow ${permission} ${where}.`, {
      kind: folderId === null ? "organization" : "folder",
      ref: folderId === null ? org : tree.path(folderId),
    });
  }
  if (folderId === null) return;
  refuseManagedRoot(tree, folderId);
}

/** Time after which a reservation without a skill belongs to an interrupted publish. */
const unwrittenMs = 60_000;
const retryMs = 25;
/** Number of times that the state of a closing folder is read. */
const closingReads = 40;

type SkillPath = Pick<SkillDoc, "_id" | "tenantId" | "slug" | "folderId">;

/**
 * Reserves the slug of a skill in its folder. Takes over the reservation of a publish whose process ended before it
 * wrote the skill. Returns `occupied` if a folder has the slug, and `raced` if a concurrent publish has just reserved
 * it, whose skill will exist in a moment.
 */
export async function reservePath(app: App, skill: SkillPath): Promise<"reserved" | "occupied" | "raced"> {
  const { _id, tenantId, slug, folderId } = skill;
  const now = app.now();
  const reservation = {
    _id: app.newId(),
    tenantId,
    parentId: folderId,
    slug,
    kind: "skill",
    ownerId: _id,
  } as const;
  const { pathReservations } = app.storage;
  const owner = await pathReservations.reserve({ ...reservation, createdAt: now });
  if (owner === "reserved" || owner.ownerId === _id) return "reserved";
  if (owner.kind === "folder") return "occupied";
  if (await app.storage.skills.exists(owner.ownerId)) return "raced";
  if (now.getTime() - owner.createdAt.getTime() > unwrittenMs)
    return (await pathReservations.takeOver(owner, _id, now)) ? "reserved" : "raced";
  await pause(retryMs);
  return "raced";
}

export async function releasePath(app: App, skill: SkillPath): Promise<void> {
  const { _id, tenantId, slug, folderId } = skill;
  await app.storage.pathReservations.release({ tenantId, parentId: folderId, slug, ownerId: _id });
}

/** Releases a path that was reserved for a change that was not written, unless another change gave it to the skill. */
export async function releaseUntaken(app: App, skill: SkillPath): Promise<void> {
  const isTaken = async () => {
    const now = await app.storage.skills.find(skill._id);
    return now?.slug === skill.slug && now.folderId === skill.folderId;
  };
  if (await isTaken()) return;
  await releasePath(app, skill);
  // A third change may have given it to the skill in between.
  if (await isTaken()) await reservePath(app, skill);
}

/**
 * Effective access of a skill according to the current tree. Called once its path is reserved: a folder that is being
 * deleted either finds the reservation and stays, or disappears shortly, so this waits for it. Throws `not_found` if
 * the folder was deleted.
 */
export async function effectiveAccessOf(
  app: App,
  skill: Pick<SkillDoc, "tenantId" | "folderId" | "visibility" | "takedown" | "withheld">,
): Promise<Pick<SkillDoc, "effectiveRestrictionId" | "listed">> {
  const { tenantId, folderId } = skill;
  const accessIn = (effectiveRestrictionId: string | null) => ({
    effectiveRestrictionId,
    listed: isInCatalog({ ...skill, effectiveRestrictionId }),
  });
  if (folderId === null) return accessIn(null);
  let tree: FolderTree;
  return retryLost(
    { attempts: closingReads, pauseMs: () => retryMs, exhausted: () => beingDeleted(tree, folderId) },
    async () => {
      tree = await loadTree(app, tenantId);
      const node = tree.get(folderId);
      if (!node) throw notFound("folder", folderId);
      if (node.closing) return undefined;
      return accessIn(tree.effectiveRestriction(folderId));
    },
  );
}
