/** Parts of JSON documents that several commands share. */
import type { FlagShape } from "./command-shape.ts";
import type { Context } from "./context.ts";
import type { SkillPayload, VersionPayload } from "../contract/payloads/skills.ts";

/** Consent to a publisher that is given as a flag. */
export const trustFlag = {
  value: "required",
  hint: "org",
  description: "Install from this organization, which is not one of yours, without a question",
} as const satisfies FlagShape;

/** Shows what a command would do. */
export const dryRunFlag = {
  value: "none",
  description: "Only show what would be done",
} as const satisfies FlagShape;

/** A skill. */
export function presentSkill(skill: SkillPayload) {
  const { publicId, slug, name, description, type, visibility, tags } = skill;
  const { currentVersion, currentSemver, tenantId, tenantSlug, folderId, createdBy, updatedAt } = skill;
  return {
    publicId,
    slug,
    name,
    description,
    type,
    visibility,
    tags: tags ?? [],
    currentVersion,
    currentSemver,
    tenantId,
    tenantSlug,
    folderId,
    createdBy,
    updatedAt,
  };
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
    ...(fileCount === undefined ? {} : { fileCount }),
    createdAt,
  };
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
