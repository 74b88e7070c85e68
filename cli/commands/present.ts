/** Payload parts that several commands share (specification, parts 2 and 4). */
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
