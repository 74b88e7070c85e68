/** Changes to a skill that create no version: settings, rollback, deletion. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import type { MovedReadersPayload } from "../../../contract/payloads/skills/exposure.ts";
import type { SkillReachPayload } from "../../../contract/payloads/skills/reach.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
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
import { annotateSkill, makeSkillEvent } from "../annotate.ts";
import { isInCatalog, loadSkill } from "../load.ts";
import { stateOf } from "../marks/marks.ts";
import { confirmTeam, requireTeam } from "../owner-teams.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { checkAllContent } from "../publish/content/refused-content.ts";
import { excerptOf } from "../publish/content/text-source.ts";
import { nameKeyOf } from "../publish/slug.ts";
import { summaryOf } from "../publish/version-record.ts";
import { reachOf } from "../reach/reach.ts";
import { readContent } from "../read/content.ts";
import { applyVerdictsOf, isShared } from "../scan/apply-verdict.ts";
import type { RevertSkill, UpdateSkill } from "../schema.ts";
import { releaseShareSlot } from "../share/share-slots.ts";
import { skillRetries } from "../skill-retries.ts";
import { endFormerSlugs, reserveDeletedSlug, type FormerSkill } from "../slugs/reserve.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { releasePath } from "./place.ts";

export async function updateSkill(
  app: App,
  actor: Actor,
  ref: string,
  { dryRun, requiredMcpServers, ...input }: UpdateSkill,
): Promise<{
  skill: SkillDoc;
  exposure: SkillExposure;
  readers?: MovedReadersPayload;
  reach?: SkillReachPayload;
}> {
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
  if (typeof input.ownerTeamId === "string") await requireTeam(app, actor, skill, input.ownerTeamId);
  const exposure = skillExposure(tree, skill, skill, { folderId: skill.folderId, visibility });
  const isOpening = visibility !== "private" && !isShared(skill);
  if (isOpening) await checkAllContent(app, skill);
  if (dryRun) {
    const tried = {
      skill: {
        ...skill,
        ...input,
        deprecated: deprecationAfter(skill, input) ?? undefined,
        ownerTeamId: input.ownerTeamId === undefined ? skill.ownerTeamId : (input.ownerTeamId ?? undefined),
        requiredServerIds: requiredServerIds ?? skill.requiredServerIds,
      },
      exposure,
      reach: input.deprecated === undefined ? undefined : await reachOf(app, skill, skill.current),
    };
    if (input.visibility === undefined || actor.kind === "anonymous-key") return tried;
    const after = { folderId: skill.folderId, visibility };
    return { ...tried, readers: await countSkillReaders(app, { tree, actor }, skill, after) };
  }
  // If this process ends before it has applied them below.
  if (isOpening) await app.storage.versionScans.requestFlagged({ skillId: skill._id }, app.now(), "delayed");
  const expectedHead = isOpening ? skill.head.version : undefined;
  const updated = await writeSettings(app, actor, skill, input, required, expectedHead);
  if (!updated) {
    if (!(await app.storage.skills.find(skill._id))) throw notFound("skill", ref);
    throw new ServiceError("conflict", `A version of "${skill.slug}" is being published: try again.`, {
      kind: "skill",
      ref,
    });
  }
  if (typeof input.ownerTeamId === "string") await confirmTeam(app, skill, input.ownerTeamId);
  if (!isOpening) return { skill: updated, exposure };
  await applyVerdictsOf(app, skill._id);
  return { skill: (await app.storage.skills.find(skill._id)) ?? updated, exposure };
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
  expectedHead?: number,
): Promise<SkillDoc | null> {
  const changesServers = required && !sameIds(required.ids, skill.requiredServerIds ?? []);
  const { deprecated: _deprecated, ...rest } = input;
  const message = deprecationAfter(skill, input);
  const changesDeprecation = message !== (skill.deprecated ?? null);
  if (!changesServers && !changesDeprecation && hasAll(skill, rest)) return skill;
  const event = (name: EventName, metadata: object) => makeSkillEvent(app, actor, name, skill, metadata);
  const servers = required?.named.map(({ tenantSlug, slug }) => ({ tenantSlug, slug }));
  const deprecationEvent =
    message === null
      ? event("skill.undeprecated", {})
      : event("skill.deprecated", { message, semver: skill.current.semver });
  const events = [
    ...(changesServers || !hasAll(skill, rest)
      ? [event("skill.updated", { ...rest, requiredMcpServers: servers })]
      : []),
    ...(changesDeprecation ? [deprecationEvent] : []),
  ];
  const fields = {
    ...input,
    requiredServerIds: required?.ids,
    nameKey: input.name === undefined ? undefined : nameKeyOf(input.name),
    listed:
      input.visibility === undefined ? undefined : isInCatalog({ ...skill, visibility: input.visibility }),
  };
  const updated = await app.storage.skills.update(skill._id, fields, app.now(), events, expectedHead);
  if (updated) scheduleProjection(app, skill._id);
  return updated;
}

/** The message of the skill's deprecation after a change; null if it is not deprecated. */
const deprecationAfter = ({ deprecated }: SkillDoc, input: Pick<UpdateSkill, "deprecated">) =>
  input.deprecated === undefined ? (deprecated ?? null) : input.deprecated;

const sameIds = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id) => b.includes(id));

/**
 * Makes an earlier version current again, without creating or removing a version. Reverting to the current version
 * changes nothing, as does a dry run. Prereleases never become current, so they can't be reverted to.
 */
export async function revertSkill(
  app: App,
  actor: Actor,
  ref: string,
  input: RevertSkill,
): Promise<{ skill: SkillDoc; reach?: SkillReachPayload }> {
  return retryLost(skillRetries(ref), async () => {
    const skill = await loadSkill(app, actor, ref, "skill:update");
    const version = await selectVersion(app, skill, readSelector(String(input.version)));
    const { semver } = version;
    const refused = (reason: string) =>
      new ServiceError("refused", `${semver} ${reason}`, { kind: "skill", ref });
    if (version.prerelease)
      throw refused("is a prerelease, and installs never resolve to one: publish it as a release.");
    const state = stateOf(skill, version.version);
    if (state === "yanked")
      throw refused("is yanked, so it can't be current: undo that first, or choose another version.");
    if (state === "held" || state === "rejected") throw refused(`is ${state}, so it can't be current.`);
    if (input.dryRun) {
      const reach = await reachOf(app, skill, { version: version.version, semver, isChosen: true });
      return { skill: { ...skill, current: summaryOf(version) }, reach };
    }
    if (version.version === skill.current.version) return { skill };
    const event = makeSkillEvent(app, actor, "skill.version_reverted", skill, {
      from: skill.current.semver,
      to: semver,
    });
    const fields = {
      current: summaryOf(version),
      choice: { semver, head: skill.head.version },
      excerpt: excerptOf(await readContent(app, skill, version)),
      updatedAt: app.now(),
    };
    const updated = await annotateSkill(app, skill, fields, [event]);
    return updated && { skill: updated };
  });
}

/**
 * Deletes a skill with all its data. One write hides it; a job then erases the repository and the records. The
 * reconcile job does so if that job is lost.
 */
export async function deleteSkill(app: App, actor: Actor, ref: string): Promise<void> {
  const skill = await loadSkill(app, actor, ref, "skill:delete");
  const event = makeSkillEvent(app, actor, "skill.deleted", skill, {
    name: skill.name,
    versions: skill.head.version,
    folderId: skill.folderId,
  });
  if (!(await removeSkill(app, skill, event))) throw notFound("skill", ref);
  if (actor.kind === "anonymous-key") await releaseShareSlot(app, actor.identityId, skill._id);
}

/** Deletes a skill for a caller that has checked access. Returns false if it was deleted already. */
export async function removeSkill(
  app: App,
  skill: FormerSkill & Pick<SkillDoc, "folderId">,
  event: EventRow,
): Promise<boolean> {
  if (event.actor.type !== "anonymous") await reserveDeletedSlug(app, skill);
  const deletedAt = app.now();
  if (!(await app.storage.skills.markDeleted(skill, deletedAt, [event]))) {
    const renamed = await app.storage.skills.find(skill._id);
    return renamed !== null && renamed.slug !== skill.slug && removeSkill(app, renamed, event);
  }
  await endFormerSlugs(app, skill._id, deletedAt);
  scheduleProjection(app, skill._id);
  app.background("release the path of a deleted skill", () => releasePath(app, skill));
  const payload = { tenantId: skill.tenantId, skillId: skill._id };
  app.background("queue the erasure of a skill", () =>
    app.queue.enqueue("maintenance.erase-skill", payload, { jobId: `erase-${skill._id}` }),
  );
  return true;
}
