/**
 * The shapes that cross the wire, as schemas: the service presents them, the API description is generated from
 * them and the tests check real answers against them. The client imports the types only, so zod stays out of it.
 */
import { z } from "zod";
import { skillActs } from "../../dashboard/lists.ts";
import { flaggedVerdicts } from "../../scan/policy.ts";
import {
  contentFormats,
  holdReasons,
  removalReasons,
  skillTypes,
  versionSources,
  versionStates,
  visibilities,
} from "../../vocabulary.ts";
import { CiOrigin } from "../accounts/ci.ts";
import { RequiredMcpServer } from "../mcp-servers.ts";
import { timestamp } from "../timestamp.ts";
import { ChannelPayload } from "./channels.ts";
import { ExposurePayload, MovedReadersPayload } from "./exposure.ts";
import { FindingCounts } from "./findings.ts";
import { previousContentLocation } from "./plans.ts";
import { dryRunReach } from "./reach.ts";

const findings = FindingCounts.meta({
  description: "about the version, for members of the organization",
});

/** A team that looks after a skill. No right follows from it. */
const OwnerTeam = z.object({ id: z.string(), name: z.string() });

export const SkillPayload = z
  .object({
    id: z.string(),
    publicId: z.string(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    type: z.enum(skillTypes),
    visibility: z.enum(visibilities),
    tags: z.array(z.string()),
    currentVersion: z.number().int(),
    currentSemver: z.string(),
    format: z.enum(contentFormats),
    tenantId: z.string(),
    tenantSlug: z.string(),
    folderId: z.string().nullable(),
    ownerTeam: OwnerTeam.optional().meta({
      description:
        "the team that looks after it, for members of the organization; in reads, lists and results of a change",
    }),
    restricted: z.boolean().meta({
      description: "in a restricted folder, and therefore private regardless of its visibility",
    }),
    takedown: z.object({ reason: z.string(), at: timestamp }).optional().meta({
      description: "set while an administrator of the service keeps it from everyone but its own members",
    }),
    deprecated: z.string().optional().meta({
      description: "set while its publishers advise against the skill: their message",
    }),
    withheld: z.literal(true).optional().meta({
      description: "set while no version can be installed: `currentVersion` is the last one that could be",
    }),
    findings: findings.optional(),
    requiredMcpServers: z.array(RequiredMcpServer).optional().meta({
      description:
        "MCP servers that the skill requires and you may read; absent from lists and from results of a publish",
    }),
    createdBy: z.string(),
    can: z.array(z.enum(skillActs)).optional().meta({
      description: "what the caller may do; `manage`: change who has access. Absent from results of changes",
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Skill" });
export type SkillPayload = z.infer<typeof SkillPayload>;

export const VersionPayload = z
  .object({
    id: z.string(),
    skillId: z.string(),
    version: z.number().int(),
    semver: z.string(),
    message: z.string(),
    format: z.enum(contentFormats),
    fileCount: z.number().int().optional().meta({ description: "packages only" }),
    prerelease: z.boolean(),
    current: z.boolean(),
    commit: z.string().meta({ description: "Git object id of the version's commit" }),
    hash: z.string().meta({ description: "SHA-256 content digest, hexadecimal" }),
    frontmatterHash: z.string().optional().meta({
      description: "SHA-256 of the `frontmatter` that a text's content comes with, hexadecimal",
    }),
    author: z.object({ name: z.string(), username: z.string() }).nullable(),
    source: z.enum(versionSources).optional().meta({
      description:
        "how it was published: by a browser, the client, another program, or an import of the sync",
    }),
    sourceCommit: z.string().optional().meta({
      description: "for an import: the commit of the connected repository",
    }),
    origin: CiOrigin.optional().meta({ description: "for a version from CI: the run that published it" }),
    deprecated: z
      .string()
      .optional()
      .meta({ description: "set while its publishers advise against it: their message" }),
    findings: findings.optional(),
    yanked: z.literal(true).optional().meta({
      description: "set while only its number or exact semver selects it",
    }),
    yankReason: z.string().optional().meta({ description: "why it is yanked" }),
    state: z.enum(versionStates),
    held: z.array(z.enum(holdReasons)).optional().meta({ description: "what a held version waits for" }),
    rejected: z.string().optional().meta({ description: "why it was rejected" }),
    verdict: z.enum(flaggedVerdicts).optional().meta({
      description: "the verdict of its scan, if the organization warns about it",
    }),
    channels: z.array(z.string()).optional().meta({ description: "channels that point to it" }),
    contentLocation: z.string().optional().meta({
      description:
        "for members of the organization: the repository or folder that a client published it from",
    }),
    createdAt: timestamp,
  })
  .meta({ id: "Version" });
export type VersionPayload = z.infer<typeof VersionPayload>;

export const MarkedVersionPayload = VersionPayload.extend({ reach: dryRunReach }).meta({
  id: "MarkedVersion",
});
export type MarkedVersionPayload = z.infer<typeof MarkedVersionPayload>;

export const RevertedSkillPayload = SkillPayload.extend({ reach: dryRunReach }).meta({ id: "RevertedSkill" });
export type RevertedSkillPayload = z.infer<typeof RevertedSkillPayload>;

export const OriginPayload = z
  .object({
    skill: z.object({
      publicId: z.string(),
      slug: z.string(),
      tenantSlug: z.string(),
      name: z.string(),
    }),
    version: z.number().int(),
    semver: z.string(),
    copiedAt: timestamp,
  })
  .meta({ id: "Origin" });
export type OriginPayload = z.infer<typeof OriginPayload>;

export const SkillDetailPayload = SkillPayload.extend({
  currentVersionInfo: VersionPayload.optional().meta({
    description: "absent if no version can be installed, and the caller may not see the last one",
  }),
  channels: z.array(ChannelPayload).optional().meta({ description: "by name; absent if there are none" }),
  downloads: z.number().int().optional().meta({ description: "of a skill in the catalog" }),
  origin: OriginPayload.optional().meta({
    description: "the skill of which it is a copy, for those who may read that one",
  }),
}).meta({ id: "SkillDetail" });
export type SkillDetailPayload = z.infer<typeof SkillDetailPayload>;

export const ChangedSkillPayload = SkillDetailPayload.extend({
  exposure: ExposurePayload,
  readers: MovedReadersPayload.optional().meta({ description: "of a dry run with `visibility`" }),
  reach: dryRunReach,
}).meta({ id: "ChangedSkill" });
export type ChangedSkillPayload = z.infer<typeof ChangedSkillPayload>;

export const CatalogItem = z
  .object({
    publicId: z.string(),
    slug: z.string(),
    tenantSlug: z.string(),
    name: z.string(),
    description: z.string(),
    type: z.enum(skillTypes),
    tags: z.array(z.string()),
    currentVersion: z.number().int(),
    currentSemver: z.string(),
    deprecated: z.string().optional().meta({
      description: "set while its publishers advise against the skill: their message",
    }),
    author: z.object({ name: z.string(), username: z.string() }).nullable(),
    downloads: z.number().int(),
    downloads30Days: z.number().int().optional().meta({ description: "with `trend`" }),
    trend: z
      .array(z.number().int())
      .optional()
      .meta({ description: "with `trend`: downloads of each of the last 30 days in UTC, today last" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "CatalogItem" });
export type CatalogItem = z.infer<typeof CatalogItem>;

export const PublishResult = z
  .object({
    action: z.enum(["created", "updated"]),
    unchanged: z
      .boolean()
      .meta({ description: "true when `ifChanged` was set and nothing had changed: `version` is not new" }),
    skill: SkillPayload,
    version: VersionPayload,
    url: z.string(),
    ignoredFlags: z.array(z.enum(["folder", "visibility", "type"])),
    warnings: z.array(z.string()),
    previousContentLocation,
  })
  .meta({ id: "PublishResult" });
export type PublishResult = z.infer<typeof PublishResult>;

export const VersionResult = VersionPayload.extend({
  unchanged: z
    .boolean()
    .meta({ description: "true when `ifChanged` was set and nothing had changed: this version is not new" }),
  warnings: z.array(z.string()),
}).meta({ id: "VersionResult" });
export type VersionResult = z.infer<typeof VersionResult>;

export const ResolveResult = z
  .object({
    skill: SkillPayload,
    version: VersionPayload,
    own: z.boolean().meta({ description: "the skill belongs to one of the caller's organizations" }),
    warnings: z.array(z.string()).optional().meta({
      description: "reasons not to install the version: it is deprecated, yanked or suspicious",
    }),
    remove: z.enum(removalReasons).optional().meta({
      description: "why the installed version that the query names should be removed",
    }),
  })
  .meta({ id: "ResolveResult" });
export type ResolveResult = z.infer<typeof ResolveResult>;

export const ContentPayload = z
  .object({
    skill: SkillPayload,
    format: z.enum(contentFormats),
    content: z.string().meta({ description: "the text without frontmatter, or a package's SKILL.md" }),
    frontmatter: z.string().optional().meta({
      description: "for a text: everything before the content in the version's SKILL.md or RULE.md",
    }),
    version: z.number().int(),
    semver: z.string(),
    hash: z.string(),
  })
  .meta({ id: "Content" });
export type ContentPayload = z.infer<typeof ContentPayload>;

export const ManifestFile = z.object({
  path: z.string(),
  size: z.number().int(),
  sha256: z.string(),
  mode: z.enum(["100644", "100755"]),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

export const ManifestPayload = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.number().int(),
    semver: z.string(),
    format: z.enum(contentFormats),
    commit: z.string(),
    hash: z.string(),
    files: z.array(ManifestFile),
  })
  .meta({ id: "Manifest" });
export type ManifestPayload = z.infer<typeof ManifestPayload>;

export const FileDiffPayload = z
  .object({
    path: z.string(),
    status: z
      .enum(["added", "removed", "modified", "renamed"])
      .meta({ description: "`renamed` only where the request has `renames`" }),
    from: z.string().optional().meta({ description: "the previous path of a renamed file" }),
    binary: z.boolean(),
    truncated: z
      .boolean()
      .meta({ description: "true when the file is too large or too different to compare" }),
    hunks: z.array(
      z.object({
        oldStart: z.number().int(),
        oldLines: z.number().int(),
        newStart: z.number().int(),
        newLines: z.number().int(),
        section: z
          .string()
          .optional()
          .meta({ description: "the nearest heading or declaration above, as in Git's header of a hunk" }),
        lines: z.array(z.string()).meta({
          description: "each with its sign; `\\\\ No newline at end of file` follows a line without one",
        }),
      }),
    ),
  })
  .meta({ id: "FileDiff" });
export type FileDiffPayload = z.infer<typeof FileDiffPayload>;

export const DiffPayload = z
  .object({
    from: z.number().int(),
    to: z.number().int(),
    files: z.array(FileDiffPayload),
  })
  .meta({ id: "Diff" });
export type DiffPayload = z.infer<typeof DiffPayload>;
