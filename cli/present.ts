/** Parts of JSON documents that several commands share. */
import type { TokenPayload } from "../contract/payloads/accounts/tokens.ts";
import type { CatalogItem, SkillPayload, VersionPayload } from "../contract/payloads/skills/skills.ts";
import type { FlagShape, PositionalShape } from "./arguments/command-shape.ts";
import type { Context } from "./context.ts";

/** Consent to a publisher that is given as a flag. */
export const trustFlag = {
  value: "required",
  hint: "org",
  description: "Install from this organization, which is not one of yours, without a question",
} as const satisfies FlagShape;

/** A skill that a command reads. */
export const skillArgument = {
  required: true,
  description: "Slug, org/slug, public id or share URL",
} as const satisfies PositionalShape;

/** A skill that a command changes. */
export const changedSkillArgument = {
  required: true,
  description: "Slug, org/slug or public id",
} as const satisfies PositionalShape;

/** Shows what a command would do. */
export const dryRunFlag = {
  value: "none",
  description: "Only show what would be done",
} as const satisfies FlagShape;

/** The fields that a skill has both in an organization and in the catalog. */
export function presentListed(skill: SkillPayload | CatalogItem) {
  const { publicId, slug, tenantSlug, name, description, type, tags } = skill;
  const { currentVersion, currentSemver } = skill;
  return {
    publicId,
    slug,
    tenantSlug,
    name,
    description,
    type,
    tags: tags ?? [],
    currentVersion,
    currentSemver,
  };
}

/** A skill. */
export function presentSkill(skill: SkillPayload) {
  const { visibility, tenantId, folderId, createdBy, updatedAt } = skill;
  return {
    ...presentListed(skill),
    ...presentMarks(skill),
    visibility,
    tenantId,
    folderId,
    createdBy,
    updatedAt,
  };
}

/** Reasons not to install a skill, or why it can't be installed. */
export const presentMarks = ({ deprecated, withheld }: Marks) => ({ deprecated, withheld });

type Marks = Pick<SkillPayload, "deprecated" | "withheld">;

/** The current version of a skill for a table, with what speaks against installing it. */
export function currentText({
  currentSemver,
  deprecated,
  withheld,
}: Marks & Pick<SkillPayload, "currentSemver">) {
  const marks = [
    ...(withheld ? ["not installable"] : []),
    ...(deprecated === undefined ? [] : ["deprecated"]),
  ];
  return marks.length === 0 ? currentSemver : `${currentSemver} (${marks.join(", ")})`;
}

export function presentNamed({ publicId, slug, tenantSlug, name }: SkillPayload) {
  return { publicId, slug, tenantSlug, name };
}

/** A version. */
export function presentVersion(version: VersionPayload) {
  const { id, skillId, semver, message, format, fileCount, createdAt } = version;
  return {
    id,
    skillId,
    version: version.version,
    semver,
    message,
    format,
    fileCount,
    createdAt,
  };
}

/** The state of a version, and what was said or found about it. */
export const presentState = ({ state, deprecated, yankReason, verdict }: VersionPayload) => ({
  state,
  deprecated,
  yankReason,
  verdict,
});

/** The same as a phrase; empty for a version that is simply published. */
export function stateText({ state, deprecated, yankReason, verdict, rejected }: VersionPayload): string {
  const reasons = { yanked: yankReason, deprecated, rejected, held: undefined };
  const marks = (["yanked", "held", "rejected", "deprecated"] as const)
    .filter((one) => one === state)
    .map((one) => (reasons[one] === undefined ? one : `${one}: ${reasons[one]}`));
  return [...marks, ...(verdict === undefined ? [] : [verdict])].join("; ");
}

/** The run of a CI pipeline that published a version; undefined for versions from elsewhere. */
export function presentOrigin({ origin }: Pick<VersionPayload, "origin">) {
  if (typeof origin?.repository !== "string" || typeof origin.ref !== "string") return undefined;
  const { repository, ref, commit, workflow, runUrl } = origin;
  const more = Object.entries({ commit, workflow, runUrl }).filter(([, value]) => typeof value === "string");
  return {
    repository,
    ref,
    ...(Object.fromEntries(more) as { [K in "commit" | "workflow" | "runUrl"]?: string }),
  };
}

/** Where a version comes from, such as `acme/skills@main`; empty if it was not published by a pipeline. */
export function originText(version: Pick<VersionPayload, "origin">): string {
  const origin = presentOrigin(version);
  return origin ? `${origin.repository}@${origin.ref.replace(/^refs\/(heads|tags)\//, "")}` : "";
}

const outcomes = {
  installed: { style: "green", word: "installed" },
  updated: { style: "green", word: "updated" },
  repaired: { style: "green", word: "repaired" },
  upToDate: { style: "dim", word: "up to date" },
  partial: { style: "yellow", word: "partly done" },
  failed: { style: "red", word: "failed" },
} as const;

/** The outcome for a skill, as a word. */
export function outcomeWord({ output }: Context, outcome: keyof typeof outcomes): string {
  const { style, word } = outcomes[outcome];
  return output.paint(style, word);
}

/** Scopes of a token as `svc token create` takes them. */
export function scopesText(scopes: TokenPayload["scopes"]): string {
  if (scopes === undefined) return "all";
  const names = Object.entries(scopes).flatMap(([group, actions]) =>
    actions.map((action) => `${group}:${action}`),
  );
  return names.length === 0 ? "none" : names.join(" ");
}
