/** Payloads of the ClawHub interface. Its client refuses a license other than its own, so that none is named. */
import type { ManifestFile } from "../../../contract/payloads/skills.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";

export const presentVersion = ({ semver, createdAt, message }: VersionDoc) => ({
  version: semver,
  createdAt: createdAt.getTime(),
  changelog: message,
  license: null,
});

export const presentVersionFiles = (version: VersionDoc, files: readonly ManifestFile[]) => ({
  ...presentVersion(version),
  files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
});

const presentSkill = (skill: SkillDoc) => ({
  slug: skill.slug,
  displayName: skill.name,
  summary: skill.description,
  tags: { latest: skill.current.semver },
  stats: { downloads: skill.downloads },
  createdAt: skill.createdAt.getTime(),
  updatedAt: skill.updatedAt.getTime(),
});

/** The client asks before it installs a suspicious skill. Only members see one that was taken down. */
const moderationOf = ({ takedown }: SkillDoc) =>
  takedown && {
    isSuspicious: true,
    isMalwareBlocked: false,
    verdict: "suspicious",
    reasonCodes: ["svc.taken-down"],
    evidence: [],
  };

export const presentModeration = (skill: SkillDoc) => ({ moderation: moderationOf(skill) ?? null });

export const presentDetail = (skill: SkillDoc, current: VersionDoc) => ({
  skill: presentSkill(skill),
  latestVersion: presentVersion(current),
  owner: { handle: skill.tenantSlug, displayName: skill.tenantSlug, image: null },
  ...presentModeration(skill),
});

export const presentListed = (skill: SkillDoc) => ({
  ...presentSkill(skill),
  latestVersion: {
    version: skill.current.semver,
    createdAt: skill.updatedAt.getTime(),
    changelog: "",
    license: null,
  },
});

/** `score`: by the rank alone. */
export const presentFound = (skill: SkillDoc, rank: number) => ({
  slug: skill.slug,
  displayName: skill.name,
  summary: skill.description,
  version: skill.current.semver,
  score: 1 / (1 + rank),
  downloads: skill.downloads,
  updatedAt: skill.updatedAt.getTime(),
  ownerHandle: skill.tenantSlug,
});
