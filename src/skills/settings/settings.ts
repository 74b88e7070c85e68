/** Changes to a skill that create no version: settings, rollback, deletion. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import type { MovedReadersPayload } from "../../../contract/payloads/exposure.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { hasAll } from "../../audit/unchanged.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import {
  refuseRequiredUnlessPrivate,
  resolveRequired,
  withHidden,
  type RequiredServers,
} from "../../mcp-servers/required.ts";
import { countSkillReaders } from "../access/count-readers.ts";
import { skillExposure, type SkillExposure } from "../access/exposure.ts";
import { loadSkill } from "../load.ts";
import { markOf } from "../marks/marks.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { checkAllContent } from "../publish/content/refused-content.ts";
import { excerptOf } from "../publish/content/text-source.ts";
import { nameKeyOf } from "../publish/slug.ts";
import { summaryOf } from "../publish/version-record.ts";
import { readContent } from "../read/content.ts";
import type { RevertSkill, UpdateSkill } from "../schema.ts";
import { releaseShareSlot } from "../share/share-slots.ts";
import { skillRetries } from "../skill-retries.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { releasePath } from "./place.ts";

export async function updateSkill(
  app: App,
  actor: Actor,
  ref: string,
  { dryRun, requiredMcpServers, ...input }: UpdateSkill,
): Promise<{ skill: SkillDoc; exposure: SkillExposure; readers?: MovedReadersPayload }> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  if (actor.kind === "anonymous-key" && (input.visibility ?? "unlisted") !== "unlisted")
    throw new ServiceError(
      "refused",
      `A skill that is shared anonymously is always unlisted. Publish "${skill.slug}" with an account to ` +
        `make it ${input.visibility}.`,
      { kind: "skill", ref },
    );
  const tree = await loadTree(app, skill.tenantId);
  const visibility = input.visibility ?? skill.visibility;
  const named = await resolveRequired(app, actor, skill.tenantId, requiredMcpServers);
  const required = named && (await withHidden(app, actor, skill, named));
  const requiredServerIds = required?.ids;
  refuseRequiredUnlessPrivate(skill.slug, visibility, requiredServerIds ?? skill.requiredServerIds);
  const exposure = skillExposure(tree, skill, skill, { folderId: skill.folderId, visibility });
  if (visibility !== "private" && skill.visibility === "private") await checkAllContent(app, skill);
  if (dryRun) {
    const tried = {
      skill: { ...skill, ...input, requiredServerIds: requiredServerIds ?? skill.requiredServerIds },
      exposure,
    };
    if (input.visibility === undefined || actor.kind === "anonymous-key") return tried;
    const after = { folderId: skill.folderId, visibility };
    return { ...tried, readers: await countSkillReaders(app, { tree, actor }, skill, after) };
  }
  const updated = await writeSettings(app, actor, skill, input, required);
  if (!updated) throw notFound("skill", ref);
  return { skill: updated, exposure };
}

/** Requires servers together with a publish to an existing skill; undefined leaves them as they are. */
export async function requireServers(
  app: App,
  actor: Actor,
  published: SkillDoc,
  named: RequiredServers | undefined,
): Promise<SkillDoc> {
  if (!named) return published;
  const skill = await loadSkill(app, actor, published._id, "skill:update");
  const required = await withHidden(app, actor, skill, named);
  refuseRequiredUnlessPrivate(skill.slug, skill.visibility, required.ids);
  const updated = await writeSettings(app, actor, skill, {}, required);
  if (!updated) throw notFound("skill", skill._id);
  return updated;
}

/** Writes settings whose rules the caller has checked; null if the skill was deleted. Equal ones are not written. */
async function writeSettings(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  input: Omit<UpdateSkill, "dryRun" | "requiredMcpServers">,
  required: RequiredServers | undefined,
): Promise<SkillDoc | null> {
  const changesServers = required && !sameIds(required.ids, skill.requiredServerIds ?? []);
  if (!changesServers && hasAll(skill, input)) return skill;
  const event = makeEvent(app, actor, "skill.updated", {
    tenantId: skill.tenantId,
    resourceType: "skill",
    resourceId: skill._id,
    metadata: {
      slug: skill.slug,
      ...input,
      requiredMcpServers: required?.named.map(({ tenantSlug, slug }) => ({ tenantSlug, slug })),
    },
  });
  const fields = {
    ...input,
    requiredServerIds: required?.ids,
    nameKey: input.name === undefined ? undefined : nameKeyOf(input.name),
    listed:
      input.visibility === undefined
        ? undefined
        : input.visibility === "public" && skill.effectiveRestrictionId === null && !skill.takedown,
  };
  const updated = await app.storage.skills.update(skill._id, fields, app.now(), [event]);
  if (updated) scheduleProjection(app, skill._id);
  return updated;
}

const sameIds = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id) => b.includes(id));

/**
 * Makes an earlier version current again, without creating or removing a version. Reverting to the current version
 * changes nothing. Prereleases never become current, so they can't be reverted to.
 */
export async function revertSkill(
  app: App,
  actor: Actor,
  ref: string,
  input: RevertSkill,
): Promise<SkillDoc> {
  return retryLost(skillRetries(ref), async () => {
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
    if (markOf(skill, version.version)?.yanked) {
      throw new ServiceError(
        "refused",
        `${version.semver} is yanked, so it can't be current: undo that first, or choose another version.`,
        { kind: "skill", ref },
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
    if (updated) scheduleProjection(app, skill._id);
    return updated;
  });
}

/**
 * Deletes a skill with all its data. One write hides it and frees its slug; a job then erases the repository and the
 * records. The reconcile job does so if that job is lost.
 */
export async function deleteSkill(app: App, actor: Actor, ref: string): Promise<void> {
  const skill = await loadSkill(app, actor, ref, "skill:delete");
  const event = makeEvent(app, actor, "skill.deleted", {
    tenantId: skill.tenantId,
    resourceType: "skill",
    resourceId: skill._id,
    metadata: {
      slug: skill.slug,
      name: skill.name,
      versions: skill.head.version,
      folderId: skill.folderId,
    },
  });
  if (!(await removeSkill(app, skill, event))) throw notFound("skill", ref);
  if (actor.kind === "anonymous-key") await releaseShareSlot(app, actor.identityId, skill._id);
}

/** Deletes a skill for a caller that has checked access. Returns false if it was deleted already. */
export async function removeSkill(
  app: App,
  skill: Pick<SkillDoc, "_id" | "tenantId" | "slug" | "folderId">,
  event: EventRow,
): Promise<boolean> {
  if (!(await app.storage.skills.markDeleted(skill._id, app.now(), [event]))) return false;
  scheduleProjection(app, skill._id);
  app.background("release the path of a deleted skill", () => releasePath(app, skill));
  const payload = { tenantId: skill.tenantId, skillId: skill._id };
  app.background("queue the erasure of a skill", () =>
    app.queue.enqueue("maintenance.erase-skill", payload, { jobId: `erase-${skill._id}` }),
  );
  return true;
}
