/**
 * The shapes that cross the wire, as schemas: the service presents them, the API description is generated from
 * them and the tests check real answers against them. The client imports the types only, so zod stays out of it.
 */
import { z } from "zod";
import { PermissionsPayload } from "./payloads-organizations.ts";
import { contentFormats, skillTypes, visibilities } from "./vocabulary.ts";

const timestamp = z.iso.datetime().meta({ description: "ISO-8601, UTC" });

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
    restricted: z.boolean().meta({
      description: "in a restricted folder, and so private whatever its visibility",
    }),
    createdBy: z.string(),
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
    author: z.object({ name: z.string(), username: z.string() }).nullable(),
    createdAt: timestamp,
  })
  .meta({ id: "Version" });
export type VersionPayload = z.infer<typeof VersionPayload>;

export const SkillDetailPayload = SkillPayload.extend({ currentVersionInfo: VersionPayload }).meta({
  id: "SkillDetail",
});
export type SkillDetailPayload = z.infer<typeof SkillDetailPayload>;

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
    author: z.object({ name: z.string(), username: z.string() }).nullable(),
    downloads: z.number().int(),
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
      .meta({ description: "true when the bytes equal the current version, and no version was made" }),
    skill: SkillPayload,
    version: VersionPayload,
    url: z.string(),
    ignoredFlags: z.array(z.enum(["folder", "visibility", "type"])),
    warnings: z.array(z.string()),
  })
  .meta({ id: "PublishResult" });
export type PublishResult = z.infer<typeof PublishResult>;

export const VersionResult = VersionPayload.extend({
  unchanged: z
    .boolean()
    .meta({ description: "true when the bytes equal the current version, and no version was made" }),
  warnings: z.array(z.string()),
}).meta({ id: "VersionResult" });
export type VersionResult = z.infer<typeof VersionResult>;

export const ResolveResult = z
  .object({ skill: SkillPayload, version: VersionPayload })
  .meta({ id: "ResolveResult" });
export type ResolveResult = z.infer<typeof ResolveResult>;

export const ContentPayload = z
  .object({
    skill: SkillPayload,
    format: z.enum(contentFormats),
    content: z.string().meta({ description: "the text without frontmatter, or a package's SKILL.md" }),
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

export const DiffPayload = z
  .object({
    from: z.number().int(),
    to: z.number().int(),
    files: z.array(
      z.object({
        path: z.string(),
        status: z.enum(["added", "removed", "modified"]),
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
            lines: z.array(z.string()),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "Diff" });
export type DiffPayload = z.infer<typeof DiffPayload>;

export const AnalyticsPayload = z
  .object({
    total: z.number().int(),
    last7Days: z.number().int(),
    last30Days: z.number().int(),
    daily: z.array(
      z.object({ date: z.iso.date(), cli: z.number().int(), web: z.number().int(), api: z.number().int() }),
    ),
  })
  .meta({ id: "Analytics" });
export type AnalyticsPayload = z.infer<typeof AnalyticsPayload>;

export const UploadPayload = z
  .object({ uploadId: z.string(), url: z.string(), expiresAt: timestamp })
  .meta({ id: "Upload" });
export type UploadPayload = z.infer<typeof UploadPayload>;

export const StoredUploadPayload = z
  .object({ uploadId: z.string(), size: z.number().int(), sha256: z.string() })
  .meta({ id: "StoredUpload" });
export type StoredUploadPayload = z.infer<typeof StoredUploadPayload>;

export const MembershipPayload = z.object({ tenantId: z.string(), slug: z.string(), name: z.string() });

export const IdentityPayload = z
  .object({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean().meta({ description: "whether a link that was sent there was followed" }),
    isAdministrator: z.boolean(),
    memberships: z.array(MembershipPayload),
    pendingInvitations: z.array(
      z.object({
        id: z.string(),
        organizationId: z.string(),
        organizationName: z.string(),
        organizationSlug: z.string(),
        expiresAt: timestamp,
      }),
    ),
  })
  .meta({ id: "Identity" });
export type IdentityPayload = z.infer<typeof IdentityPayload>;

export const TokenPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.record(z.string(), z.array(z.string())).optional(),
    allowedFolderIds: z.array(z.string()).optional(),
    createdAt: timestamp,
    expiresAt: timestamp.optional(),
    lastUsedAt: timestamp.optional(),
  })
  .meta({ id: "Token" });
export type TokenPayload = z.infer<typeof TokenPayload>;

export const CreatedTokenPayload = TokenPayload.extend({
  token: z.string().meta({ description: "the secret; shown this once" }),
}).meta({ id: "CreatedToken" });
export type CreatedTokenPayload = z.infer<typeof CreatedTokenPayload>;

/** RFC 8628, section 3.2. */
export const DeviceCodePayload = z
  .object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.number().int(),
    interval: z.number().int(),
  })
  .meta({ id: "DeviceCode" });
export type DeviceCodePayload = z.infer<typeof DeviceCodePayload>;

/** RFC 8628, section 3.5 (and RFC 6749, section 5.1). */
export const DeviceTokenPayload = z
  .object({ access_token: z.string(), token_type: z.literal("Bearer"), scope: z.string().optional() })
  .meta({ id: "DeviceToken" });
export type DeviceTokenPayload = z.infer<typeof DeviceTokenPayload>;

export const TenantPayload = z
  .object({
    id: z.string(),
    slug: z.string(),
    formerSlugs: z.array(z.string()).meta({ description: "that still lead here, newest first" }),
    name: z.string(),
    description: z.string(),
    role: z
      .string()
      .nullable()
      .meta({ description: "the caller's own: a built-in role's name, or a custom role's id" }),
    permissions: PermissionsPayload.meta({ description: "what the caller may do here, teams counted in" }),
    avatarUrl: z.string().nullable(),
    deletionAt: timestamp
      .optional()
      .meta({ description: "set while the organization waits to be erased; until then it can be restored" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Tenant" });
export type TenantPayload = z.infer<typeof TenantPayload>;

/** What the client's daily update check reads. */
export const ClientPayload = z.object({ version: z.string() }).meta({ id: "Client" });
export type ClientPayload = z.infer<typeof ClientPayload>;
