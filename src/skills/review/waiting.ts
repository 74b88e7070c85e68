/** Versions that wait for a review, for those who decide about them and for those who may change the skills. */
import type { ReviewPayload, WaitingReviewPayload } from "../../../contract/payloads/skills/reviews.ts";
import type { SkillDoc, VersionMark } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { loadFolderView } from "../../folders/load.ts";
import { findReviewRule } from "../../folders/review/rules.ts";
import { TimeCursor, decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { countSkillReaders } from "../access/count-readers.ts";
import { loadSkill, withActs, type SeenSkill } from "../load.ts";
import { markOf, unseenVersions } from "../marks/marks.ts";
import { presentSkill, presentVersion } from "../present.ts";
import { readVersionRef, selectVersion } from "../versions/select-version.ts";
import { findVersion } from "../versions/versions.ts";
import { loadForVersion } from "./administrator.ts";
import { approvalsOf, refusalOf } from "./decide.ts";
import { listEntries } from "./entries.ts";

const member = { isMember: true };

/** A page of the versions of an organization that wait and that the caller may see, the longest wait first. */
export async function listWaiting(
  app: App,
  actor: Actor,
  ref: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<WaitingReviewPayload>> {
  const { _id: tenantId } = await loadTenant(app, actor, ref, "member");
  return pageOfSkills(
    cursor,
    limit,
    (after) => app.storage.skills.listWaiting([tenantId], after, limit + 1),
    async (found) => {
      const skills = await seenOf(app, actor, found);
      return (await Promise.all(skills.map((skill) => waitingOf(app, actor, skill)))).flat();
    },
  );
}

/** A page of what waits of some skills, in the order in which they began to wait. */
export async function pageOfSkills<T>(
  cursor: string | undefined,
  limit: number,
  list: (after: { at: Date; id: string } | undefined) => Promise<SkillDoc[]>,
  itemsOf: (skills: SkillDoc[]) => T[] | Promise<T[]>,
): Promise<Page<T>> {
  const found = await list(decodeCursor(cursor, TimeCursor));
  const items = await itemsOf(found.slice(0, limit));
  const last = found[limit - 1];
  const next =
    found.length > limit && last?.waitingSince ? encodeCursor([last.waitingSince.getTime(), last._id]) : null;
  return new Page(items, next);
}

/** Skills whose held versions the caller sees. */
export async function seenOf(app: App, actor: Actor, skills: readonly SkillDoc[]): Promise<SeenSkill[]> {
  const all = await withActs(app, actor, skills);
  return all.filter((skill) => skill.can?.includes("read") && unseenVersions(skill).length === 0);
}

/** Versions of a skill that are listed at a time: others follow once these are decided. */
const versionsOfSkill = 10;

/** The first versions of a skill that wait. The caller sees them. */
export async function waitingOf(app: App, actor: Actor, skill: SeenSkill): Promise<WaitingReviewPayload[]> {
  const rule = await findReviewRule(app, skill.tenantId, skill.folderId);
  const waiting = (skill.marks ?? []).filter(({ held }) => held !== undefined).slice(0, versionsOfSkill);
  const rows = await Promise.all(
    waiting.map(async (mark) => ({ mark, version: await findVersion(app, skill, mark.version) })),
  );
  return rows.flatMap(({ mark, version }) =>
    version ? [present(actor, skill, { version, mark, rule })] : [],
  );
}

function present(
  actor: Actor,
  skill: SeenSkill,
  facts: { version: VersionDoc; mark: VersionMark; rule: Parameters<typeof approvalsOf>[0] },
): WaitingReviewPayload {
  const refusal = refusalOf(actor, skill, facts);
  const reader = skill.asAdministrator ? undefined : member;
  return {
    skill: presentSkill(skill, reader),
    version: presentVersion(facts.version, skill, reader),
    approvals: facts.mark.review?.approvals.length ?? 0,
    needed: approvalsOf(facts.rule),
    mayDecide: refusal === undefined && facts.mark.held !== undefined,
    refusal,
  };
}

/** The review of a version, also of one that was decided. Requires that the caller may update or review the skill. */
export async function readReview(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
): Promise<ReviewPayload> {
  const { skill, version } = await loadReviewed(app, actor, ref, wanted);
  const [rule, view] = await Promise.all([
    findReviewRule(app, skill.tenantId, skill.folderId),
    loadFolderView(app, actor, skill.tenantId),
  ]);
  const mark = markOf(skill, version.version) ?? { version: version.version, semver: version.semver };
  const before = versionBefore(skill, version);
  const [follows, entries, readers, teams] = await Promise.all([
    before === undefined ? null : findVersion(app, skill, before),
    listEntries(app, version),
    countSkillReaders(app, view, skill, skill),
    rule?.teamIds && !skill.asAdministrator ? app.storage.teams.listByIds(rule.teamIds) : undefined,
  ]);
  return {
    ...present(actor, skill, { version, mark, rule }),
    follows: follows && presentVersion(follows, skill, member),
    teams: teams?.map(({ _id: id, name }) => ({ id, name })),
    readers: readers.after,
    // Comments of reviewers are a matter of the organization.
    entries: skill.asAdministrator ? entries.filter(({ kind }) => kind === "overridden") : entries,
  };
}

/** The version to compare one with: the current one, or the one before it if that is the version itself. */
function versionBefore({ withheld, current }: SkillDoc, { version }: VersionDoc): number | undefined {
  if (withheld === "unreleased") return undefined;
  if (current.version !== version) return current.version;
  return version > 1 ? version - 1 : undefined;
}

/**
 * A skill with a version of it, for a caller who may update or review the skill, or release the version as an
 * administrator. Throws `forbidden` for others.
 */
export async function loadReviewed(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
): Promise<{ skill: SeenSkill; version: VersionDoc }> {
  const selector = readVersionRef(wanted);
  const skill = await loadForVersion(app, actor, ref, wanted, async () => {
    const found = await loadSkill(app, actor, ref, "skill:read");
    const sees = found.can?.some((act) => act === "update" || act === "review");
    return sees ? found : loadSkill(app, actor, ref, "skill:review");
  });
  return { skill, version: await selectVersion(app, skill, selector) };
}

/** A skill with a version to comment on. Refuses administrators who only release it. */
export async function loadCommented(app: App, actor: Actor, ref: string, wanted: string) {
  const found = await loadReviewed(app, actor, ref, wanted);
  if (found.skill.asAdministrator)
    throw forbidden("Only people who can update or review the skill can comment on its versions.", {
      kind: "skill",
      ref,
    });
  return found;
}
