import type {
  CatalogItem,
  SkillDetailPayload,
  SkillPayload,
  VersionPayload,
} from "../../contract/payloads/skills/skills.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import type { App } from "../app.ts";
import { channelsAt, presentChannels } from "./channels/channels.ts";
import { countFindings } from "./findings/count-findings.ts";
import { isShared, type SeenSkill } from "./load.ts";
import { markOf, stateOf } from "./marks/marks.ts";
import { ownerTeamOf, type OwnerTeams } from "./owner-teams.ts";

interface Reader {
  /** A member of the skill's organization, who sees the numbers of findings. */
  isMember: boolean;
  /** Owner teams that a member is shown, by their ids. */
  teams?: OwnerTeams;
}

const anyone: Reader = { isMember: false };

export function presentSkill(skill: SeenSkill, { isMember, teams } = anyone): SkillPayload {
  return {
    id: skill._id,
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    description: skill.description,
    type: skill.type,
    visibility: skill.visibility,
    tags: skill.tags,
    currentVersion: skill.current.version,
    currentSemver: skill.current.semver,
    format: skill.current.format,
    tenantId: skill.tenantId,
    tenantSlug: skill.tenantSlug,
    folderId: skill.folderId,
    ownerTeam: ownerTeamOf(skill, teams),
    restricted: skill.effectiveRestrictionId !== null,
    takedown: skill.takedown && {
      reason: skill.takedown.reason,
      at: skill.takedown.at.toISOString(),
    },
    deprecated: skill.deprecated,
    withheld: skill.withheld && true,
    findings: isMember && skill.current.findings ? countFindings(skill, skill.current.findings) : undefined,
    createdBy: skill.createdBy,
    can: skill.can ? [...skill.can] : undefined,
    createdAt: skill.createdAt.toISOString(),
    updatedAt: skill.updatedAt.toISOString(),
  };
}

export function presentVersion(version: VersionDoc, skill: SkillDoc, { isMember } = anyone): VersionPayload {
  const mark = markOf(skill, version.version);
  return {
    id: version._id,
    skillId: version.skillId,
    version: version.version,
    semver: version.semver,
    message: version.message,
    format: version.format,
    fileCount: version.format === "package" ? version.fileCount : undefined,
    prerelease: version.prerelease,
    current: version.version === skill.current.version && !skill.withheld,
    commit: version.oid,
    hash: version.hash,
    frontmatterHash: version.frontmatter?.stored,
    author: version.author && { name: version.author.name, username: version.author.username },
    source: version.source,
    sourceCommit: version.importedCommit,
    origin: version.run,
    deprecated: mark?.deprecated,
    yanked: mark?.yanked,
    yankReason: mark?.reason,
    state: stateOf(skill, version.version),
    held: mark?.held,
    channels: channelsAt(skill, version.version),
    rejected: mark?.rejected,
    verdict: mark?.verdict,
    findings: isMember && version.findings ? countFindings(skill, version.findings) : undefined,
    contentLocation: isMember ? version.contentLocation : undefined,
    createdAt: version.createdAt.toISOString(),
  };
}

export function presentSkillDetail(
  skill: SeenSkill,
  version: VersionDoc | undefined,
  reader = anyone,
): SkillDetailPayload {
  return {
    ...presentSkill(skill, reader),
    currentVersionInfo: version && presentVersion(version, skill, reader),
    channels: skill.channels && presentChannels(skill),
    downloads: isShared(skill) ? skill.downloads : undefined,
  };
}

export function presentCatalogItem(skill: SkillDoc): CatalogItem {
  return {
    publicId: skill.publicId,
    slug: skill.slug,
    tenantSlug: skill.tenantSlug,
    name: skill.name,
    description: skill.description,
    type: skill.type,
    tags: skill.tags,
    currentVersion: skill.current.version,
    currentSemver: skill.current.semver,
    deprecated: skill.deprecated,
    author: skill.author && { name: skill.author.name, username: skill.author.username },
    downloads: skill.downloads,
    createdAt: skill.createdAt.toISOString(),
    updatedAt: skill.updatedAt.toISOString(),
  };
}

/** Address of the skill's page, which `svc install` accepts too. */
export function skillUrl(app: App, skill: SkillDoc): string {
  return `${app.config.baseUrl}/s/${skill.publicId}`;
}
