/**
 * Deprecates and yanks versions. A deprecated version installs with a warning. A yanked one is selected by its number
 * or exact semver only, so that locked installs go on working.
 */
import { isDeepStrictEqual } from "node:util";
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { loadSkill } from "../load.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { excerptOf } from "../publish/content/text-source.ts";
import { summaryOf } from "../publish/version-record.ts";
import { readContent } from "../read/content.ts";
import { skillRetries } from "../skill-retries.ts";
import { selectVersion } from "../versions/select-version.ts";
import { exceeds, isPrerelease, readSelector } from "../versions/semver.ts";
import { findVersion, listSemvers } from "../versions/versions.ts";
import { changeMarks, markOf, withoutYanked, type MarkChange } from "./marks.ts";

/**
 * Changes the marks of a version. If the current version is yanked, the highest release below it becomes current in the
 * same write; without one, the change is `refused`.
 */
export async function markVersion(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
  change: MarkChange,
): Promise<{ skill: SkillDoc; version: VersionDoc }> {
  const selector = readSelector(wanted);
  if (selector.kind !== "number" && selector.kind !== "exact")
    throw invalidRequest(`"${wanted.slice(0, 80)}" is not the number or semver of a version.`);
  return retryLost(skillRetries(ref), async () => {
    const skill = await loadSkill(app, actor, ref, "skill:update");
    const version = await selectVersion(app, skill, selector);
    const marks = changeMarks(skill, version, change);
    if (isDeepStrictEqual(marks, skill.marks ?? [])) return { skill, version };
    if (marks.length > limits.markedVersions)
      throw new ServiceError(
        "limit_reached",
        `"${skill.slug}" has ${limits.markedVersions} deprecated and yanked versions: undo one of them first.`,
        { kind: "skill", ref },
      );
    const isYanked = markOf({ marks }, version.version)?.yanked === true;
    const successor =
      isYanked && version.version === skill.current.version
        ? await successorOf(app, { ...skill, marks })
        : undefined;
    const fields = {
      marks,
      ...(successor && {
        current: summaryOf(successor),
        excerpt: excerptOf(await readContent(app, skill, successor)),
        updatedAt: app.now(),
      }),
    };
    const events = eventsOf(app, actor, skill, version, marks, successor);
    const updated = await app.storage.skills.annotate(skill._id, skill.revision, fields, events);
    if (!updated) return undefined;
    scheduleProjection(app, skill._id);
    return { skill: updated, version };
  });
}

/** The highest release below the current one that is not yanked. A higher one may have been reverted on purpose. */
async function successorOf(app: App, skill: SkillDoc): Promise<VersionDoc> {
  const { semver } = skill.current;
  let best: { version: number; semver: string } | undefined;
  for (const one of withoutYanked(skill, await listSemvers(app, skill)))
    if (
      !isPrerelease(one.semver) &&
      exceeds(semver, one.semver) &&
      !(best && exceeds(best.semver, one.semver))
    )
      best = one;
  if (best === undefined)
    throw new ServiceError(
      "refused",
      `${semver} is the current version, and no earlier release can take its place: ` +
        "publish or revert to another version first.",
      { kind: "skill", ref: skill.slug },
    );
  const version = await findVersion(app, skill, best.version);
  if (!version) throw new Error(`version ${best.version} of skill ${skill._id} has no row`);
  return version;
}

function eventsOf(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  { version, semver }: VersionDoc,
  marks: SkillDoc["marks"],
  successor: VersionDoc | undefined,
): EventRow[] {
  const [before, after] = [markOf(skill, version), markOf({ marks }, version)];
  const event = (name: EventName, metadata: Record<string, unknown>) =>
    makeEvent(app, actor, name, {
      tenantId: skill.tenantId,
      resourceType: "skill",
      resourceId: skill._id,
      metadata: { slug: skill.slug, ...metadata },
    });
  const events: EventRow[] = [];
  if (before?.deprecated !== after?.deprecated)
    events.push(
      after?.deprecated === undefined
        ? event("skill.version_undeprecated", { semver })
        : event("skill.version_deprecated", { semver, message: after.deprecated }),
    );
  if (before?.yanked !== after?.yanked)
    events.push(event(after?.yanked ? "skill.version_yanked" : "skill.version_unyanked", { semver }));
  if (successor)
    events.push(event("skill.version_reverted", { from: skill.current.semver, to: successor.semver }));
  return events;
}
