/** Moves a skill to another folder of its organization. Its slug, publicId and versions stay what they are. */
import type { SkillDoc } from "../../storage/skills.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { loadFolderView } from "../folders/load.ts";
import { loadSkill } from "./load.ts";
import { checkMayPlace, chooseFolder, governedBy, releasePlace, takePlace } from "./place.ts";
import type { MoveSkill } from "./schema.ts";
import { scheduleSettling } from "./settle.ts";

const raceAttempts = 20;

export interface Moved {
  skill: SkillDoc;
  from: { folderId: string | null };
  to: { folderId: string | null; path: string };
  /** False when it lay there already. */
  moved: boolean;
}

export async function moveSkill(app: App, actor: Actor, ref: string, input: MoveSkill): Promise<Moved> {
  const first = await loadSkill(app, actor, ref, "skill:update");
  const { tenantId } = first;
  const folderId = await chooseFolder(app, actor, tenantId, input);
  for (let attempt = 0; attempt < raceAttempts; attempt++) {
    const skill = attempt === 0 ? first : await loadSkill(app, actor, ref, "skill:update");
    const from = { folderId: skill.folderId };
    const view = await loadFolderView(app, actor, tenantId);
    if (folderId !== null && !view.tree.get(folderId)) throw notFound("folder", input.folder ?? folderId);
    const to = { folderId, path: folderId === null ? "/" : view.tree.path(folderId) };
    if (skill.folderId === folderId) return { skill, from, to, moved: false };
    checkMayPlace(view, "skill:update", folderId, skill.tenantSlug);

    const target = { _id: skill._id, tenantId, slug: skill.slug, folderId };
    const place = await takePlace(app, target);
    if (place === "held") {
      throw new ServiceError(
        "already_exists",
        `A folder named "${skill.slug}" lies in "${to.path}", so the skill can't: rename that folder, or choose another.`,
        { kind: "folder", ref: to.path },
      );
    }
    if (place === "raced") continue;
    const moved = await commitMove(app, actor, skill, to, view.tree.path(skill.folderId ?? "")).catch(
      async (error: unknown) => {
        await releasePlace(app, target);
        throw error;
      },
    );
    if (moved) {
      await releasePlace(app, skill);
      scheduleSettling(app, skill._id);
      return { skill: moved, from, to, moved: true };
    }
    await releasePlace(app, target);
  }
  throw new ServiceError("conflict", `"${ref}" is being moved by many at once: try again.`, {
    kind: "skill",
    ref,
  });
}

/** Null when the skill was moved meanwhile. Its place was taken before the folder is looked at: see `insertInPlace`. */
async function commitMove(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  to: { folderId: string | null; path: string },
  fromPath: string,
): Promise<SkillDoc | null> {
  const place = await governedBy(app, { ...skill, folderId: to.folderId });
  const event = makeEvent(app, actor, "skill.updated", {
    tenantId: skill.tenantId,
    resourceType: "skill",
    resourceId: skill._id,
    metadata: { slug: skill.slug, moved: { from: fromPath === "" ? "/" : fromPath, to: to.path } },
  });
  const target = { folderId: to.folderId, ...place };
  return app.storage.skills.move(skill._id, skill.folderId, target, app.now(), [event]);
}
