/** States of versions (`docs/concepts/versions.md`). Pure. */
import { limits } from "../../../contract/limits.ts";
import type { FlaggedVerdict } from "../../../contract/scan/policy.ts";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import type { HoldReason, RemovalReason, VersionState } from "../../../contract/vocabulary.ts";
import type { SkillDoc, VersionChoice, VersionMark } from "../../../storage/skills/skills.ts";
import type { SeenSkill } from "../load.ts";
import { exceeds, isPrerelease } from "../versions/semver.ts";

type Marked = Pick<SkillDoc, "marks">;

interface Numbered {
  version: number;
  semver: string;
}

/** Whether a version is held because its scan found it malicious. */
export const isHeldAsMalicious = ({ held, verdict }: VersionMark): boolean =>
  held?.includes("scan") === true && verdict === "malicious";

export function markOf({ marks = [] }: Marked, version: number): VersionMark | undefined {
  return marks.find((mark) => mark.version === version);
}

/** The state that decides who gets a version. */
export function stateOf(skill: Marked, version: number): VersionState {
  const mark = markOf(skill, version);
  if (mark?.rejected !== undefined) return "rejected";
  if (mark?.held) return "held";
  if (mark?.yanked) return "yanked";
  return mark?.deprecated === undefined ? "published" : "deprecated";
}

/** Whether only those who may update or review the skill see the version. */
export const isHidden = ({ held, rejected }: VersionMark) => held !== undefined || rejected !== undefined;

/** Why those who have a version should remove it, as an adjective; undefined if they need not. */
export function removalReason(skill: Marked, version: number): RemovalReason | undefined {
  const mark = markOf(skill, version);
  if (mark?.rejected !== undefined) return "rejected";
  if (mark?.verdict !== "malicious") return undefined;
  return isHeldAsMalicious(mark) || mark.accepted !== "malicious" ? "malicious" : undefined;
}

/** Numbers of the held and rejected versions. */
export function hiddenVersions({ marks = [] }: Marked): number[] {
  return marks.filter(isHidden).map(({ version }) => version);
}

/** Numbers of the held and rejected versions that the caller for whom the skill was loaded may not see. */
export function unseenVersions({ marks, can }: Pick<SeenSkill, "marks" | "can">): number[] {
  return can?.includes("update") || can?.includes("review") ? [] : hiddenVersions({ marks });
}

/** The versions that a range may resolve to, and that may be current. */
export function withoutWithdrawn<V extends { version: number }>(
  { marks = [] }: Marked,
  versions: readonly V[],
): readonly V[] {
  const withdrawn = new Set(
    marks.filter((mark) => mark.yanked || isHidden(mark)).map(({ version }) => version),
  );
  return withdrawn.size === 0 ? versions : versions.filter(({ version }) => !withdrawn.has(version));
}

/**
 * The version that installs resolve to: the highest release that publishes and the last choice point to and that is
 * neither withdrawn nor held, else the highest of all such releases. Undefined if there is none.
 */
export function currentOf<V extends Numbered>(
  skill: Marked & Pick<SkillDoc, "choice">,
  versions: readonly V[],
): V | undefined {
  const { choice } = skill;
  const able = withoutWithdrawn(skill, versions).filter(({ semver }) => !isPrerelease(semver));
  const chosen = able.filter(
    ({ version, semver }) => !choice || version > choice.head || !exceeds(semver, choice.semver),
  );
  return highestOf(chosen) ?? highestOf(able);
}

function highestOf<V extends Numbered>(versions: readonly V[]): V | undefined {
  return versions.reduce<V | undefined>(
    (best, one) => (best && exceeds(best.semver, one.semver) ? best : one),
    undefined,
  );
}

/** The choice of a skill whose document does not have one, although a version below the highest is current. */
export function choiceOf(
  skill: Pick<SkillDoc, "marks" | "choice" | "current" | "head" | "withheld">,
  versions: readonly Numbered[],
): VersionChoice | undefined {
  const { choice, current, head, withheld } = skill;
  if (choice || withheld || currentOf(skill, versions)?.version === current.version) return choice;
  return { semver: current.semver, head: head.version };
}

/** The message of a deprecated skill, else that of its version. */
export const deprecationOf = (
  skill: Marked & Pick<SkillDoc, "deprecated">,
  version: number,
): string | undefined => skill.deprecated ?? markOf(skill, version)?.deprecated;

/** Reasons not to install a version, as sentences. */
export function warningsAbout(
  skill: Marked & Pick<SkillDoc, "tenantSlug" | "slug" | "deprecated">,
  { version, semver }: Numbered,
): string[] {
  const mark = markOf(skill, version);
  const ref = `${skill.tenantSlug}/${skill.slug}`;
  const name = `${ref} ${semver}`;
  return [
    ...(mark?.yanked ? [yankedText(name, mark.reason)] : []),
    ...(mark?.held ? [`${name} is held: only those who may update or review it see it.`] : []),
    ...(mark?.rejected === undefined ? [] : [`${name} was rejected: ${mark.rejected}`]),
    ...(mark?.verdict === undefined
      ? []
      : [`The scan of ${name} found it ${mark.verdict}: read what it found before you use it.`]),
    ...(mark?.deprecated === undefined ? [] : [`${name} is deprecated: ${mark.deprecated}`]),
    ...(skill.deprecated === undefined ? [] : [`${ref} is deprecated: ${skill.deprecated}`]),
  ];
}

const yankedText = (name: string, reason: string | undefined) =>
  reason === undefined
    ? `${name} is yanked by its publisher: install another version.`
    : `${name} is yanked by its publisher: ${reason}`;

/** Each field that is set replaces that of the mark; null removes it. */
export interface MarkChange {
  deprecated?: string | null;
  yanked?: boolean;
  /** Why it is yanked. */
  reason?: string;
  hold?: HoldReason;
  release?: HoldReason;
  rejected?: string;
  verdict?: FlaggedVerdict | null;
  /** The verdict against which a person releases it. */
  accepted?: FlaggedVerdict;
  approval?: { userId: string; at: Date };
}

/** The marks after a change of one version, in ascending order. */
export function changeMarks(
  { marks = [] }: Marked,
  { version, semver }: Numbered,
  change: MarkChange,
): VersionMark[] {
  const before: Partial<VersionMark> = markOf({ marks }, version) ?? {};
  const deprecated = change.deprecated === undefined ? before.deprecated : (change.deprecated ?? undefined);
  const yanked = (change.yanked ?? before.yanked) || undefined;
  const held = heldAfter(before.held, change);
  const rejected =
    change.rejected === undefined ? before.rejected : cutAtWord(change.rejected, limits.shownRejection);
  const verdict = change.verdict === undefined ? before.verdict : (change.verdict ?? undefined);
  const mark: VersionMark = {
    version,
    semver,
    deprecated,
    yanked,
    reason: yanked && (change.reason ?? before.reason),
    held,
    rejected,
    verdict,
    accepted: verdict && (change.accepted ?? before.accepted),
    review: reviewAfter(before, change, held),
    fields: held && before.fields,
  };
  const others = marks.filter((other) => other.version !== version);
  const isMarked = [deprecated, yanked, held, rejected, verdict].some((value) => value !== undefined);
  return [...others, ...(isMarked ? [mark] : [])].toSorted((a, b) => a.version - b.version);
}

function reviewAfter(
  { review = { approvals: [] } }: Partial<VersionMark>,
  { approval }: MarkChange,
  held: readonly HoldReason[] | undefined,
): VersionMark["review"] {
  if (!held?.includes("review")) return undefined;
  return approval ? { ...review, approvals: [...review.approvals, approval] } : review;
}

/** Reasons in their order; undefined if none is left. A version that is rejected is no longer held. */
function heldAfter(
  held: readonly HoldReason[] = [],
  { hold, release, rejected }: MarkChange,
): HoldReason[] | undefined {
  if (rejected !== undefined) return undefined;
  const reasons = held.filter((reason) => reason !== release && reason !== hold);
  const all = hold === undefined ? reasons : [...reasons, hold];
  return all.length === 0 ? undefined : all.toSorted();
}
