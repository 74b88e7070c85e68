/** Changes to a skill that make no version: its settings, a rollback, its end. */
import type { EventRow } from "../../storage/outbox.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { readContent } from "./content.ts";
import { loadSkill, selectVersion } from "./load.ts";
import { releasePlace } from "./place.ts";
import { summaryOf } from "./publish-version.ts";
import type { RevertSkill, UpdateSkill } from "./schema.ts";
import { readSelector } from "./semver.ts";
import { freeSharePlace } from "./share-places.ts";
import { scheduleSettling } from "./settle.ts";
import { nameKeyOf } from "./slug.ts";
import { excerptOf } from "./text-source.ts";

const raceAttempts = 5;

export async function updateSkill(
  app: App,
  actor: Actor,
  ref: string,
  input: UpdateSkill,
): Promise<SkillDoc> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  if (actor.kind === "anonymous-key" && (input.visibility ?? "unlisted") !== "unlisted")
    throw new ServiceError(
      "refused",
      `What is shared anonymously is always unlisted: publish "${skill.slug}" with an account to make it ${input.visibility}.`,
      { kind: "skill", ref },
    );
  const event = makeEvent(app, actor, "skill.updated", {
    tenantId: skill.tenantId,
    resourceType: "skill",
    resourceId: skill._id,
    metadata: { slug: skill.slug, ...input },
  });
  const fields = {
    ...input,
    ...(input.name === undefined ? {} : { nameKey: nameKeyOf(input.name) }),
    ...(input.visibility === undefined
      ? {}
      : { listed: input.visibility === "public" && skill.governingFolderId === null }),
  };
  const updated = await app.storage.skills.update(skill._id, fields, app.now(), [event]);
  if (!updated) throw notFound("skill", ref);
  scheduleSettling(app, skill._id);
  return updated;
}

/**
 * Makes an earlier version current again. A pointer moves; no version is made and none is lost. Reverting to the
 * version that is current changes nothing. Prereleases never become current, so they can't be reverted to.
 */
export async function revertSkill(
  app: App,
  actor: Actor,
  ref: string,
  input: RevertSkill,
): Promise<SkillDoc> {
  for (let attempt = 0; attempt < raceAttempts; attempt++) {
    const skill = await loadSkill(app, actor, ref, "skill:update");
    const version = await selectVersion(app, skill, readSelector(String(input.version)));
    if (version.prerelease) {
      throw new ServiceError(
        "refused",
        `${version.semver} is a prerelease, and installs never resolve to one: publish it as a release.`,
        {
          kind: "skill",
          ref,
        },
      );
    }
    if (version.version === skill.current.version) return skill;
    const event = makeEvent(app, actor, "skill.version_reverted", {
      tenantId: skill.tenantId,
      resourceType: "skill",
      resourceId: skill._id,
      metadata: { slug: skill.slug, from: skill.current.semver, to: version.semver },
    });
    const excerpt = excerptOf(await readContent(app, skill, version));
    const current = summaryOf(version);
    const updated = await app.storage.skills.moveCurrent(
      skill._id,
      skill.current.version,
      current,
      excerpt,
      app.now(),
      [event],
    );
    if (updated) {
      scheduleSettling(app, skill._id);
      return updated;
    }
  }
  throw new ServiceError("conflict", `"${ref}" is being changed by many at once: try again.`, {
    kind: "skill",
    ref,
  });
}

/**
 * Deletes a skill with everything it had. One write makes it vanish and frees its slug; a job then erases the
 * repository and the records, and the reconcile job does so if this one is lost.
 */
export async function deleteSkill(app: App, actor: Actor, ref: string): Promise<void> {
  const skill = await loadSkill(app, actor, ref, "skill:delete");
  const event = makeEvent(app, actor, "skill.deleted", {
    tenantId: skill.tenantId,
    resourceType: "skill",
    resourceId: skill._id,
    metadata: { slug: skill.slug, name: skill.name, versions: skill.head.version },
  });
  if (!(await removeSkill(app, skill, event))) throw notFound("skill", ref);
  if (actor.kind === "anonymous-key") await freeSharePlace(app, actor.identityId, skill._id);
}

/** The same for whoever has asked already: false when it is gone. The event is stored with the deletion. */
export async function removeSkill(
  app: App,
  skill: Pick<SkillDoc, "_id" | "tenantId" | "slug" | "folderId">,
  event: EventRow,
): Promise<boolean> {
  if (!(await app.storage.skills.markDeleted(skill._id, app.now(), [event]))) return false;
  app.background("give back the place of a deleted skill", () => releasePlace(app, skill));
  const payload = { tenantId: skill.tenantId, skillId: skill._id };
  app.background("queue the erasure of a skill", () =>
    app.queue.enqueue("upkeep.erase-skill", payload, { jobId: `erase-${skill._id}` }),
  );
  return true;
}
