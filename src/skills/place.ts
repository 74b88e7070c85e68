/** Where a skill lies: the folder a publish or a move names, and the skill's place among its siblings there. */
import { setTimeout as pause } from "node:timers/promises";
import type { SkillDoc } from "../../storage/skills.ts";
import type { Actor } from "../access/actor.ts";
import { mayInPlace } from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound } from "../errors.ts";
import {
  beingDeleted,
  createFolderPath,
  folderAtPath,
  readFolderPath,
  refuseManagedRoot,
} from "../folders/create.ts";
import { isVisible, loadFolderView, loadTree, placeIn, type FolderView } from "../folders/load.ts";

/** What a call says of the folder: its path or its id. Nothing is the root. */
export interface FolderChoice {
  folder?: string | undefined;
  folderId?: string | null | undefined;
  createFolders?: boolean | undefined;
}

/** The folder that is meant; null is the root. With `createFolders` what is missing is made. Throws `not_found`. */
export async function chooseFolder(
  app: App,
  actor: Actor,
  tenantId: string,
  choice: FolderChoice,
): Promise<string | null> {
  if (choice.folderId !== undefined && choice.folderId !== null) {
    const view = await loadFolderView(app, actor, tenantId);
    if (!isVisible(view, choice.folderId)) throw notFound("folder", choice.folderId);
    return choice.folderId;
  }
  if (choice.folder === undefined || readFolderPath(choice.folder).length === 0) return null;
  if (choice.createFolders)
    return (await createFolderPath(app, actor, tenantId, choice.folder, true)).folderId;
  return folderAtPath(await loadFolderView(app, actor, tenantId), choice.folder);
}

/** Throws `forbidden` or `managed_folder` where the actor may not do this to skills in a folder, or at the root. */
export function checkMayPlace(
  view: FolderView,
  permission: "skill:create" | "skill:update",
  folderId: string | null,
  org: string,
): void {
  const { tree, actor } = view;
  if (!mayInPlace(actor, permission, tree.tenantId, placeIn(tree, actor, folderId))) {
    const where = folderId === null ? `at the root of "${org}"` : `in folder "${tree.path(folderId)}"`;
    throw forbidden(`Your role, grant or token does not allow ${permission} ${where}.`, {
      kind: folderId === null ? "team" : "folder",
      ref: folderId === null ? org : tree.path(folderId),
    });
  }
  if (folderId === null) return;
  refuseManagedRoot(tree, folderId);
}

/** How long a place may wait for its skill to be written. */
const unwrittenMs = 60_000;
const lookAgainMs = 25;
/** How often a folder that is being deleted is looked at again. */
const closingLooks = 40;

type Slot = Pick<SkillDoc, "_id" | "tenantId" | "slug" | "folderId">;

/**
 * Takes the place of a skill in its folder. `held` when a folder, or what a stopped publish left, has the name there;
 * `raced` when another publish has just taken it, whose skill will be there in a moment.
 */
export async function takePlace(app: App, skill: Slot): Promise<"taken" | "held" | "raced"> {
  const { _id, tenantId, slug, folderId } = skill;
  const now = app.now();
  const place = {
    _id: app.newId(),
    tenantId,
    parentId: folderId,
    slug,
    kind: "skill",
    ownerId: _id,
  } as const;
  const holder = await app.storage.places.take({ ...place, createdAt: now });
  if (holder === "taken" || holder.ownerId === _id) return "taken";
  if (holder.kind === "folder") return "held";
  if (await app.storage.skills.exists(holder.ownerId)) return "raced";
  if (now.getTime() - holder.createdAt.getTime() > unwrittenMs) return "held";
  await pause(lookAgainMs);
  return "raced";
}

export async function releasePlace(app: App, skill: Slot): Promise<void> {
  const { _id, tenantId, slug, folderId } = skill;
  await app.storage.places.release({ tenantId, parentId: folderId, slug, ownerId: _id });
}

/**
 * What a skill says of its place, from the tree as it is now. Called once the place is taken: a folder whose deletion has
 * begun will see the place and stay, or be gone in a moment, so that is waited for. Throws when the folder is gone.
 */
export async function governedBy(
  app: App,
  skill: Pick<SkillDoc, "tenantId" | "folderId" | "visibility">,
): Promise<Pick<SkillDoc, "governingFolderId" | "listed">> {
  const { tenantId, folderId } = skill;
  if (folderId === null) return { governingFolderId: null, listed: skill.visibility === "public" };
  for (let attempt = 0; ; attempt++) {
    const tree = await loadTree(app, tenantId);
    const node = tree.get(folderId);
    if (!node) throw notFound("folder", folderId);
    if (!node.closing) {
      const governingFolderId = tree.governing(folderId);
      return { governingFolderId, listed: skill.visibility === "public" && governingFolderId === null };
    }
    if (attempt >= closingLooks) throw beingDeleted(tree, folderId);
    await pause(lookAgainMs);
  }
}
