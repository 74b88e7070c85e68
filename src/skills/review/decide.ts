/** Decisions about versions that wait for a review. */
import { isFlagged } from "../../../contract/scan/policy.ts";
import type { ReviewRule } from "../../../storage/organizations/tenants.ts";
import type { VersionMark } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import { administers, isNarrowed, limitsOf, membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { findReviewRule } from "../../folders/review/rules.ts";
import { loadSkill, type SeenSkill } from "../load.ts";
import { changeState, type Changed } from "../marks/change-state.ts";
import { isHeldByService } from "../scan/apply-verdict.ts";
import { loadForVersion } from "./administrator.ts";

export interface Decision {
  /** `override` releases a version despite its scan. */
  decision: "approve" | "reject" | "override";
  comment?: string;
}

/**
 * Approves or rejects a version. The approval that completes those of the rule now in effect releases it in the same
 * write. Throws `refused` for a version that does not wait, and `forbidden` for a caller who may not decide about it.
 */
export function decideVersion(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
  { decision, comment }: Decision,
): Promise<Changed> {
  if (decision === "override") return overrideScan(app, actor, ref, wanted, comment ?? "");
  const isApproval = decision === "approve";
  let isNew = true;
  return changeState(app, actor, ref, wanted, {
    load: () => loadSkill(app, actor, ref, "skill:review"),
    async change(version, mark, skill) {
      if (!mark?.held || (isApproval && !mark.held.includes("review")))
        throw new ServiceError("refused", `${version.semver} does not wait for a review.`, {
          kind: "skill",
          ref,
        });
      const rule = await findReviewRule(app, skill.tenantId, skill.folderId);
      const refusal = refusalOf(actor, skill, { version, mark, rule });
      if (refusal !== undefined) throw forbidden(refusal, { kind: "skill", ref });
      if (actor.kind !== "user") return undefined;
      if (!isApproval) return { rejected: comment ?? "" };
      const before = mark.review?.approvals ?? [];
      isNew = !before.some(({ userId }) => userId === actor.userId);
      const count = before.length + (isNew ? 1 : 0);
      // The rule may ask for fewer approvals than when the others were given.
      const release = count >= approvalsOf(rule) ? ("review" as const) : undefined;
      if (!isNew) return release && { release };
      return { approval: { userId: actor.userId, at: app.now() }, release };
    },
    events: ({ _id: versionId }) =>
      isApproval && isNew ? [{ name: "skill.version_approved", metadata: { versionId, comment } }] : [],
  });
}

/**
 * Releases a version that is held because of its scan. Throws `refused` for any other, and `forbidden` for a caller
 * who may not: a malicious version of a skill that others than members can read is released by administrators only.
 */
function overrideScan(app: App, actor: Actor, ref: string, wanted: string, reason: string): Promise<Changed> {
  const subject = { kind: "skill", ref } as const;
  let verdict: string | undefined;
  let isForService = false;
  return changeState(app, actor, ref, wanted, {
    load: () => loadForVersion(app, actor, ref, wanted, () => loadSkill(app, actor, ref, "skill:review")),
    async change({ version, semver }, mark, skill) {
      if (!isPerson(actor)) throw forbidden(personOnly, subject);
      const scan = await app.storage.versionScans.find(skill._id, version);
      verdict = scan?.result?.verdict;
      if (!mark?.held?.includes("scan") || !isFlagged(verdict))
        throw new ServiceError("refused", `${semver} is not held because of its scan.`, subject);
      const byAdministrator = administers(actor);
      isForService = isHeldByService(skill, verdict);
      if (isForService && !byAdministrator) throw forbidden(serviceOnly, subject);
      if (skill.asAdministrator && !isForService) throw forbidden(notService, subject);
      const by = { id: actor.userId, username: actor.username };
      const override = { verdict, reason, by, byAdministrator, at: app.now() };
      if (!(await app.storage.versionScans.override({ skillId: skill._id, version }, override)))
        return undefined;
      return { release: "scan", accepted: verdict };
    },
    events: ({ _id: versionId }) => [
      {
        name: "skill.scan_overridden",
        metadata: { versionId, verdict, reason, byAdministrator: isForService || undefined },
      },
    ],
  });
}

const isPerson = (actor: Actor): actor is UserActor => actor.kind === "user" && !isNarrowed(limitsOf(actor));
const personOnly = "Only people can review. Sign in, or use a personal token without scopes.";
const notService =
  "The organization's scan policy holds this version. Ask one of its reviewers to release it.";
const serviceOnly =
  "The scan found this version malicious, and the skill is public or unlisted: ask an administrator of the service " +
  "to release it.";

/** Approvals that a version needs. One is needed where the rule was removed while it waited. */
export const approvalsOf = (rule: ReviewRule | undefined): number => rule?.approvals ?? 1;

/** The reason for which the caller may not decide about a version, as a sentence; undefined if they may. */
export function refusalOf(
  actor: Actor,
  { can, tenantId, asAdministrator }: Pick<SeenSkill, "can" | "tenantId" | "asAdministrator">,
  { version, mark, rule }: { version: VersionDoc; mark: VersionMark; rule: ReviewRule | undefined },
): string | undefined {
  if (!isPerson(actor)) return personOnly;
  if (asAdministrator) return "Only reviewers of the organization can approve or reject this version.";
  if (!can?.includes("review")) return "Your role does not allow skill: review here.";
  if (mark.review?.publisherIds?.includes(actor.userId) || version.author?.id === actor.userId)
    return "You published this version, so another reviewer has to decide.";
  const teams = membershipIn(actor, tenantId)?.teamIds ?? [];
  if (rule?.teamIds?.length && !rule.teamIds.some((id) => teams.includes(id)))
    return "Only members of the review rule's teams can approve or reject this version.";
  return undefined;
}
