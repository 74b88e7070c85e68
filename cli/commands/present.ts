/** Payload parts that several commands share (specification, parts 2 and 4). */
import type { Context } from "../context.ts";
import type { SkillPayload, VersionPayload } from "../../contract/payloads.ts";

/** Part 2, Skill. */
export function presentSkill(skill: SkillPayload) {
  const { publicId, slug, name, description, type, visibility, tags } = skill;
  const { currentVersion, currentSemver, tenantId, folderId, createdBy, updatedAt } = skill;
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
    folderId,
    createdBy,
    updatedAt,
  };
}

/** Part 2, Version. */
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

/** What became of a skill, in a word for people. */
export function outcomeWord({ output }: Context, outcome: keyof typeof outcomes): string {
  const { style, word } = outcomes[outcome];
  return output.paint(style, word);
}
