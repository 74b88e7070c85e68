/** Findings of a version for its readers, and the marks of those that a member has reviewed. */
import { secretRules } from "../../../contract/checks/secret-rules.ts";
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import type { FindingsPayload } from "../../../contract/payloads/skills/findings.ts";
import type { FindingReview, SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { annotateSkill, makeSkillEvent } from "../annotate.ts";
import { loadSkill, readsAsMember } from "../load.ts";
import { authorOf } from "../publish/author.ts";
import { skillRetries } from "../skill-retries.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { listSemvers } from "../versions/versions.ts";
import { countFindings } from "./count-findings.ts";
import type { Found } from "./lint.ts";
import { findingsOf, firstSeen } from "./version-findings.ts";

/**
 * Findings of a version, by default the current one. Only members of the organization see those about secrets: anyone
 * else would be shown where to look for them.
 */
export async function listFindings(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string | undefined,
): Promise<FindingsPayload> {
  const selector = readSelector(wanted);
  const skill = await loadSkill(app, actor, ref, "skill:read");
  const version = await selectVersion(app, skill, selector);
  const isMember = await readsAsMember(app, actor, skill);
  return presentFindings(app, actor, skill, version, isMember);
}

/** Marks a finding of a version as reviewed, or removes the mark. Requires `skill:update`. */
export async function reviewFinding(
  app: App,
  actor: Actor,
  ref: string,
  id: string,
  input: { reviewed: boolean; note?: string; version?: string },
): Promise<FindingsPayload> {
  const selector = readSelector(input.version);
  return retryLost(skillRetries(ref), async () => {
    const skill = await loadSkill(app, actor, ref, "skill:update");
    const version = await selectVersion(app, skill, selector);
    const finding = (await findingsOf(app, actor, skill, version)).find((one) => one.id === id);
    if (!finding) throw notFound("content", id);
    const reviews = planReviews(app, actor, skill, id, input);
    if (reviews === undefined) return presentFindings(app, actor, skill, version, true);
    const name = input.reviewed ? "skill.finding_reviewed" : "skill.finding_reopened";
    const event = makeSkillEvent(app, actor, name, skill, {
      semver: version.semver,
      rule: finding.rule,
      path: finding.path,
      note: input.note,
    });
    const updated = await annotateSkill(app, skill, { reviews }, [event]);
    return updated && presentFindings(app, actor, updated, version, true);
  });
}

/** Undefined if nothing changes. */
function planReviews(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  id: string,
  { reviewed, note }: { reviewed: boolean; note?: string },
): FindingReview[] | undefined {
  const before = skill.reviews ?? [];
  const others = before.filter((review) => review.id !== id);
  if (!reviewed) return others.length === before.length ? undefined : others;
  if (before.some((review) => review.id === id && review.note === note)) return undefined;
  if (others.length >= limits.reviewedFindings)
    throw new ServiceError(
      "limit_reached",
      `"${skill.slug}" has ${limits.reviewedFindings} reviewed findings: remove the mark of another one first.`,
      { kind: "skill", ref: skill.slug },
    );
  const review = { id, at: app.now(), by: authorOf(actor), note };
  return [...others, review];
}

async function presentFindings(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  version: VersionDoc,
  isMember: boolean,
): Promise<FindingsPayload> {
  const all = await findingsOf(app, actor, skill, version);
  const found = isMember ? all : all.filter((finding) => !isSecret(finding));
  const ids = found.map(({ id }) => id);
  const [first, semvers] = await Promise.all([firstSeen(app, skill, version, ids), listSemvers(app, skill)]);
  const semverOf = new Map(semvers.map((one) => [one.version, one.semver]));
  const reviews = new Map((skill.reviews ?? []).map((review) => [review.id, review]));
  return {
    version: version.version,
    semver: version.semver,
    counts: countFindings(skill, {
      errors: found.filter(({ severity }) => severity === "error").length,
      warnings: found.filter(({ severity }) => severity === "warning").length,
      ids,
    }),
    findings: found.map((finding) => {
      const number = first.get(finding.id) ?? version.version;
      return {
        ...finding,
        firstSeen: { version: number, semver: semverOf.get(number) ?? version.semver },
        reviewed: presentReview(reviews.get(finding.id), isMember),
      };
    }),
  };
}

const isSecret = ({ rule }: Found) => (secretRules as readonly string[]).includes(rule);

function presentReview(review: FindingReview | undefined, isMember: boolean) {
  if (!review) return null;
  const { at, by, note } = review;
  const own = { by: by && { name: by.name, username: by.username }, note };
  return { at: at.toISOString(), ...(isMember ? own : {}) };
}
