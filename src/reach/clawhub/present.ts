/** Payloads of the ClawHub interface. Its client refuses a license other than its own, so that none is named. */
import { limits } from "../../../contract/limits.ts";
import type { ManifestFile } from "../../../contract/payloads/skills/skills.ts";
import type { FlaggedVerdict } from "../../../contract/scan/policy.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { targetOf } from "../../skills/channels/channels.ts";
import { listedDescription } from "../listed-description.ts";

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

const channelTags = (skill: SkillDoc) =>
  Object.fromEntries(
    (skill.channels ?? []).flatMap(({ name }) => {
      const target = targetOf(skill, name);
      return target ? [[name, target.semver]] : [];
    }),
  );

const summaryOf = (skill: SkillDoc) =>
  listedDescription(skill, skill.current.version, skill.description, limits.skillDescription);

/** Rows of lists do not say which versions are held, so that they have no channels. */
const presentSkill = (skill: SkillDoc, tags: Record<string, string> = {}) => ({
  slug: skill.slug,
  displayName: skill.name,
  summary: summaryOf(skill),
  tags: { latest: skill.current.semver, ...tags },
  stats: { downloads: skill.downloads },
  createdAt: skill.createdAt.getTime(),
  updatedAt: skill.updatedAt.getTime(),
});

/** The verdict of the scan about the current version. */
export interface Flag {
  verdict: FlaggedVerdict;
  /** A person has released the version in spite of this. */
  isReleased: boolean;
  /** Ids of the rules that found something. */
  rules: readonly string[];
}

/**
 * The client asks before it installs what is suspicious, and never installs what is blocked. Only members see a skill
 * that was taken down.
 */
export function presentModeration({ takedown }: SkillDoc, flag: Flag | undefined) {
  if (!takedown && !flag) return { moderation: null };
  const { verdict = "suspicious", isReleased = false, rules = [] } = flag ?? {};
  return {
    moderation: {
      isSuspicious: true,
      isMalwareBlocked: verdict === "malicious" && !isReleased,
      verdict,
      reasonCodes: [...(takedown ? ["svc.taken-down"] : []), ...rules.map((rule) => `svc.${rule}`)],
      evidence: [],
    },
  };
}

export const presentDetail = (skill: SkillDoc, current: VersionDoc, flag: Flag | undefined) => ({
  skill: presentSkill(skill, channelTags(skill)),
  latestVersion: presentVersion(current),
  owner: { handle: skill.tenantSlug, displayName: skill.tenantSlug, image: null },
  ...presentModeration(skill, flag),
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
  summary: summaryOf(skill),
  version: skill.current.semver,
  score: 1 / (1 + rank),
  downloads: skill.downloads,
  updatedAt: skill.updatedAt.getTime(),
  ownerHandle: skill.tenantSlug,
});
