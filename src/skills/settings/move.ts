/** Moves a skill to another folder of its organization. Its slug, publicId and versions don't change. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import type { MovedReadersPayload } from "../../../contract/payloads/skills/exposure.ts";
import type { SkillReachPayload } from "../../../contract/payloads/skills/reach.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { checkMayTakeOut } from "../../folders/access/exposure.ts";
import { isVisible, loadFolderView, type FolderView } from "../../folders/load.ts";
import { checkMayLeaveReview } from "../../folders/review/rules.ts";
import { planFolderPath } from "../../folders/tree/create.ts";
import { folderAtPath } from "../../folders/tree/paths.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import { countSkillReaders } from "../access/count-readers.ts";
import { skillExposure, type SkillExposure } from "../access/exposure.ts";
import { makeSkillEvent } from "../annotate.ts";
import { loadSkill, type SeenSkill } from "../load.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { reachOf } from "../reach/reach.ts";
import type { MoveSkill } from "../schema.ts";
import { skillRetries } from "../skill-retries.ts";
import {
  checkSkillPermissionIn,
  chooseFolder,
  effectiveAccessOf,
  releasePath,
  releaseUntaken,
  reservePath,
} from "./place.ts";

export interface Moved {
  skill: SkillDoc;
  from: { folderId: string | null };
  /** `folderId` is null at the root, and for a folder that a dry run would have created. */
  to: { folderId: string | null; path: string };
  /** False if it was there already. */
  moved: boolean;
  exposure: SkillExposure;
  /** These are only of a dry run. */
  readers?: MovedReadersPayload;
  reach?: SkillReachPayload;
}

/**
 * Moves a skill. A move out of a restriction requires a manager grant on the restricted folder; the tree that decides
 * is the one that holds when the move is written.
 */
export async function moveSkill(app: App, actor: Actor, ref: string, input: MoveSkill): Promise<Moved> {
  const first = await loadSkill(app, actor, ref, "skill:update");
  const { tenantId } = first;
  // Before any folder is created: a refused move leaves nothing.
  const before = await loadFolderView(app, actor, tenantId);
  await checkReview(app, before, first, chosenIn(before, input).folderId);
  const tried = planMove(before, first, input);
  if (input.dryRun) {
    const { folderId } = chosenIn(before, input);
    const [readers, reach] = await Promise.all([
      countSkillReaders(app, before, first, { ...first, folderId }),
      reachOf(app, first, first.current),
    ]);
    return { ...tried, readers, reach };
  }
  const folderId = await chooseFolder(app, before, input);
  return retryLost<Moved>(skillRetries(ref, "moved by many callers"), async (attempt) => {
    const skill = attempt === 0 ? first : await loadSkill(app, actor, ref, "skill:update");
    const view = await loadFolderView(app, actor, tenantId);
    const planned = planMove(view, skill, { folderId });
    if (!planned.moved) return planned;

    const target = { _id: skill._id, tenantId, slug: skill.slug, folderId };
    const reservation = await reservePath(app, target);
    if (reservation === "occupied") {
      throw new ServiceError(
        "already_exists",
        `A folder named "${skill.slug}" exists in "${planned.to.path}": rename that folder, or choose another.`,
        { kind: "folder", ref: planned.to.path },
      );
    }
    if (reservation === "raced") return undefined;
    const moved = await commitMove(app, actor, skill, folderId).catch(async (error: unknown) => {
      await releaseUntaken(app, target);
      throw error;
    });
    if (moved) {
      await releasePath(app, skill);
      scheduleProjection(app, skill._id);
      return moved;
    }
    await releaseUntaken(app, target);
    return undefined;
  });
}

/** Result of the move on a tree. Throws if it is not allowed. */
function planMove(view: FolderView, skill: SkillDoc, input: MoveSkill): Moved {
  const { tree } = view;
  const target = chosenIn(view, input);
  const { folderId: fromId, visibility } = skill;
  const to = { folderId: target.exists ? target.folderId : null, path: target.path };
  const exposure = skillExposure(tree, skill, skill, { folderId: target.folderId, visibility });
  const moved = !(target.exists && fromId === target.folderId);
  if (moved) checkMayMove(view, skill, target.folderId);
  return {
    skill: moved ? { ...skill, folderId: to.folderId } : skill,
    from: { folderId: fromId },
    to,
    moved,
    exposure,
  };
}

/** The destination; for one that is still to be created, the folder around it. */
function chosenIn(
  view: FolderView,
  input: MoveSkill,
): { folderId: string | null; path: string; exists: boolean } {
  const { tree } = view;
  if (input.folder !== undefined && input.createFolders) {
    const { parentId, names, path } = planFolderPath(view, input.folder);
    return { folderId: parentId, path, exists: names.length === 0 };
  }
  const folderId = input.folder === undefined ? (input.folderId ?? null) : folderAtPath(view, input.folder);
  if (folderId !== null && (!tree.get(folderId) || !isVisible(view, folderId)))
    throw notFound("folder", folderId);
  return { folderId, path: folderId === null ? "/" : tree.path(folderId), exists: true };
}

function checkMayMove(view: FolderView, skill: SkillDoc, folderId: string | null): void {
  checkSkillPermissionIn(view, "skill:update", folderId, skill.tenantSlug);
  checkMayTakeOut(view, skill.folderId, folderId, { kind: "skill", ref: skill.publicId, name: skill.slug });
}

/** Throws `forbidden` for a move past a review rule by a caller who does not review. */
async function checkReview(
  app: App,
  view: FolderView,
  { tenantId, folderId: from, can }: SeenSkill,
  to: string | null,
): Promise<void> {
  const tenant = await app.storage.tenants.find(tenantId);
  checkMayLeaveReview(tenant, view, from, to, can?.includes("review") === true);
}

/**
 * Null if another call has moved the skill. The slug is reserved in the destination before its folder is read: see
 * `insertAtPath`.
 */
async function commitMove(
  app: App,
  actor: Actor,
  skill: SeenSkill,
  folderId: string | null,
): Promise<Moved | null> {
  const { tenantId } = skill;
  const access = await effectiveAccessOf(app, { ...skill, folderId });
  const view = await loadFolderView(app, actor, tenantId);
  // The tree in memory changes with the organization's, so its revision is read before the write.
  const { revision } = view.tree;
  const planned = planMove(view, skill, { folderId });
  await checkReview(app, view, skill, folderId);
  const written = await writeMove(app, actor, skill, { folderId, ...access }, view.tree);
  if (!written) return null;
  await confirmMove(app, actor, skill, written, revision);
  return { ...planned, skill: written };
}

async function writeMove(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  target: Pick<SkillDoc, "folderId" | "effectiveRestrictionId" | "listed">,
  tree: FolderTree,
): Promise<SkillDoc | null> {
  const pathOf = (folderId: string | null) => (folderId === null ? "" : tree.path(folderId)) || "/";
  const event = makeSkillEvent(app, actor, "skill.updated", skill, {
    moved: { from: pathOf(skill.folderId), to: pathOf(target.folderId) },
  });
  return app.storage.skills.move(skill, target, app.now(), [event]);
}

/**
 * Undoes a move that is forbidden by a restriction which was committed between the decision and the write: otherwise
 * the skill would have left a folder that was restricted by then.
 */
async function confirmMove(
  app: App,
  actor: Actor,
  before: SkillDoc,
  moved: SkillDoc,
  revision: number,
): Promise<void> {
  const view = await loadFolderView(app, actor, before.tenantId);
  if (view.tree.revision === revision) return;
  try {
    checkMayTakeOut(view, before.folderId, moved.folderId, {
      kind: "skill",
      ref: before.publicId,
      name: before.slug,
    });
  } catch (error) {
    const { folderId } = before;
    const access = await effectiveAccessOf(app, before);
    await writeMove(app, actor, moved, { folderId, ...access }, view.tree);
    scheduleProjection(app, before._id);
    throw error;
  }
}
