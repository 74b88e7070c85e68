/** Input of the skill routes. */
import { z } from "zod";
import { oneLineText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { slugPattern } from "../../contract/names/slug.ts";
import {
  accessActions,
  bumps,
  contentFormats,
  publishModes,
  skillTypes,
  visibilities,
} from "../../contract/vocabulary.ts";
import { isDeviceName } from "../folders/tree/slug.ts";
import { listQuery } from "../http/request/cursor.ts";
import { flag } from "../http/request/flag.ts";
import { requiredMcpServers } from "../mcp-servers/schema.ts";
import { contentLocation } from "./publish/content/content-location-schema.ts";
import { fileChanges } from "./publish/content/edit-schema.ts";

const wellFormed = (text: string) => !/\p{Surrogate}/u.test(text);

export const skillName = z
  .string()
  .trim()
  .min(1)
  .max(limits.skillName)
  .regex(oneLineText, "must be one line without control characters");
const description = z
  .string()
  .trim()
  .max(limits.skillDescription)
  .refine(wellFormed, "must be well-formed Unicode");
const tags = z
  .array(
    z
      .string()
      .trim()
      .toLowerCase()
      .min(1)
      .max(limits.tagLength)
      .regex(oneLineText, "must be one line without control characters"),
  )
  .max(limits.tagsPerSkill)
  .transform((list) => [...new Set(list)]);
const message = z
  .string()
  .max(limits.versionMessage)
  .refine((text) => !text.includes("\0") && wellFormed(text), "must be well-formed text without NUL");

const content = z
  .string()
  .meta({ description: `the text of a single-file skill, at most ${limits.textContentBytes} bytes` });
const uploadId = z
  .string()
  .max(64)
  .meta({ description: "a stored upload (POST /api/uploads) holding the package's zip" });
const prereleaseId = z
  .string()
  .max(32)
  // Patterns are applied to texts over the maximum length as well; this one takes linear time.
  .regex(/^(?=[0-9]*[A-Za-z-])[0-9A-Za-z-]+$/, "must be letters, digits and hyphens, not a number")
  .meta({ description: "label, such as beta: letters, digits and hyphens, not a number" });

const ifChanged = z.boolean().optional().meta({
  description: "create no version if the content equals the current one, or the prerelease that is continued",
});

const oneContent = (input: { content?: string; uploadId?: string }) =>
  (input.content === undefined) !== (input.uploadId === undefined);

const folderPath = z
  .string()
  .max(limits.folderPath)
  .meta({ description: "folder names or slugs, separated by slashes; / is the root" });

export const hasOnePlace = (input: { personal?: unknown; folder?: unknown; createFolders?: unknown }) =>
  !input.personal || (input.folder === undefined && !input.createFolders);

const publishFields = z.strictObject({
  mode: z.enum(publishModes).default("upsert"),
  tenantId: z.string().min(1).max(64).meta({ description: "id or slug of the organization" }),
  name: skillName.optional().meta({ description: "default: the frontmatter's name" }),
  type: z.enum(skillTypes).optional(),
  defaultType: z
    .enum(skillTypes)
    .optional()
    .meta({ description: "type of a new skill, if type is not sent; an existing one keeps its own" }),
  visibility: z.enum(visibilities).optional(),
  description: description.optional(),
  tags: tags.optional(),
  requiredMcpServers: requiredMcpServers.optional(),
  folder: folderPath.optional(),
  createFolders: z.boolean().optional().meta({ description: "create the missing folders of the path" }),
  personal: z.boolean().optional().meta({ description: "into your personal workspace; excludes folder" }),
  message: message.optional(),
  content: content.optional(),
  uploadId: uploadId.optional(),
  semver: z.string().max(200).optional(),
  contentLocation,
  ifChanged,
});

export const PublishSkill = publishFields
  .refine(oneContent, "needs exactly one of content and uploadId")
  .refine(hasOnePlace, "personal excludes folder and createFolders");
export type PublishSkill = z.output<typeof PublishSkill>;

/** Input without a visibility: a shared skill is unlisted. */
export const ShareSkill = z
  .strictObject({
    name: skillName.optional().meta({ description: "default: the frontmatter's name" }),
    type: z.enum(skillTypes).optional(),
    content: content.optional(),
    uploadId: uploadId.optional(),
  })
  .refine(oneContent, "needs exactly one of content and uploadId");
export type ShareSkill = z.output<typeof ShareSkill>;

const base = z.number().int().min(1).optional().meta({
  description: "number of the version that the content is an edit of; 409 if another became current",
});

const versionFields = z.strictObject({
  content: content.optional(),
  uploadId: uploadId.optional(),
  base,
  changes: fileChanges.optional(),
  message: message.optional(),
  requiredMcpServers: requiredMcpServers.optional(),
  semver: z.string().max(200).optional(),
  bump: z.enum(bumps).optional(),
  prerelease: z.union([z.literal(true), prereleaseId]).optional(),
  contentLocation,
  ifChanged,
});

export const hasOneNumber = (input: { semver?: string; bump?: unknown; prerelease?: unknown }) =>
  input.semver === undefined || (input.bump === undefined && input.prerelease === undefined);

export const PublishVersion = versionFields
  .refine(
    ({ content: text, uploadId: upload, changes }) =>
      [text, upload, changes].filter((given) => given !== undefined).length === 1,
    "needs exactly one of content, uploadId and changes",
  )
  .refine((input) => input.changes === undefined || input.base !== undefined, "changes need a base")
  .refine(hasOneNumber, "semver excludes bump and prerelease");
export type PublishVersion = z.output<typeof PublishVersion>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits");
/** Digests of content that is not sent. */
const digests = {
  format: z.enum(contentFormats),
  hash: sha256.meta({
    description: "SHA-256 of a text without its frontmatter, or of a package's list of files",
  }),
  frontmatterHash: sha256.optional().meta({ description: "SHA-256 of everything before the text" }),
};

export const PlanPublish = publishFields
  .omit({ description: true, tags: true, message: true, content: true, uploadId: true, ifChanged: true })
  .extend({ name: skillName, ...digests })
  .refine(hasOnePlace, "personal excludes folder and createFolders");
export type PlanPublish = z.output<typeof PlanPublish>;

export const PlanVersion = versionFields
  .pick({ base: true, requiredMcpServers: true, semver: true, bump: true, prerelease: true })
  .extend(digests)
  .refine(hasOneNumber, "semver excludes bump and prerelease");
export type PlanVersion = z.output<typeof PlanVersion>;

export const dryRun = z
  .boolean()
  .optional()
  .meta({ description: "changes nothing, and returns the response that the change would have" });

const lineOfText = z
  .string()
  .trim()
  .min(1)
  .max(limits.deprecation)
  .regex(oneLineText, "must be one line without control characters");

const deprecation = lineOfText
  .nullable()
  .optional()
  .meta({ description: "what to do instead; null undoes the deprecation" });

export const UpdateSkill = z
  .strictObject({
    name: skillName.optional(),
    description: description.optional(),
    visibility: z.enum(visibilities).optional(),
    tags: tags.optional(),
    deprecated: deprecation,
    requiredMcpServers: requiredMcpServers.optional(),
    ownerTeamId: z
      .string()
      .min(1)
      .max(64)
      .nullable()
      .optional()
      .meta({ description: "team of the organization that looks after it; null removes it" }),
    dryRun,
  })
  .refine((fields) => Object.keys(fields).some((field) => field !== "dryRun"), "needs at least one field");
export type UpdateSkill = z.output<typeof UpdateSkill>;

export const MoveSkill = z
  .strictObject({
    folderId: z.string().min(1).max(64).nullable().optional().meta({ description: "null is the root" }),
    folder: folderPath.optional(),
    createFolders: z.boolean().optional(),
    dryRun,
  })
  .refine(
    (input) => (input.folderId === undefined) !== (input.folder === undefined),
    "needs exactly one of folderId and folder",
  );
export type MoveSkill = z.output<typeof MoveSkill>;

const skillSlug = z
  .string()
  .max(limits.skillSlug)
  .regex(slugPattern, "must be lower-case letters, digits and single hyphens")
  .refine((slug) => !isDeviceName(slug), "is the name of a device on Windows");

export const RenameSkill = z.strictObject({
  slug: skillSlug.meta({ description: "the new slug" }),
  dryRun,
});
export type RenameSkill = z.output<typeof RenameSkill>;

export const CopySkill = z
  .strictObject({
    tenantId: z.string().min(1).max(64).meta({ description: "id or slug of the organization" }),
    version: z
      .string()
      .max(256)
      .optional()
      .meta({ description: "number, exact version or range; default: the current one" }),
    name: skillName.optional().meta({ description: "default: the skill's name" }),
    slug: skillSlug.optional().meta({ description: "default: made from the name" }),
    visibility: z.enum(visibilities).optional().meta({ description: "default: private" }),
    folder: folderPath.optional(),
    createFolders: z.boolean().optional(),
    personal: z.boolean().optional().meta({ description: "into your personal workspace; excludes folder" }),
  })
  .refine(hasOnePlace, "personal excludes folder and createFolders");
export type CopySkill = z.output<typeof CopySkill>;

export const RevertSkill = z.strictObject({
  version: z
    .union([z.number().int().min(1), z.string().min(1).max(200)])
    .meta({ description: "version number or exact semver" }),
  dryRun,
});
export type RevertSkill = z.output<typeof RevertSkill>;

export const MarkVersion = z
  .strictObject({
    deprecated: deprecation,
    yanked: z.boolean().optional(),
    reason: lineOfText
      .optional()
      .meta({ description: "why it is yanked, for those who have it or ask for it" }),
    force: z
      .boolean()
      .optional()
      .meta({ description: "with yanked: deletes the channels that point to the version" }),
    dryRun,
  })
  .refine((input) => "deprecated" in input || "yanked" in input, "needs deprecated or yanked")
  .refine((input) => input.reason === undefined || input.yanked, "has a reason only with yanked")
  .refine((input) => input.force === undefined || input.yanked, "has force only with yanked");

export const AnnounceUpload = z.strictObject({
  size: z.number().int().min(1),
  sha256,
});
export type AnnounceUpload = z.output<typeof AnnounceUpload>;

export const SkillParams = z.object({
  skill: z.string().min(1).max(120).meta({ description: "id, publicId or org~slug" }),
});

export const CheckAccess = z
  .strictObject({
    userId: z.string().min(1).max(64).optional(),
    principal: z
      .strictObject({ type: z.literal("token"), id: z.string().min(1).max(64) })
      .optional()
      .meta({ description: "a token of the organization, instead of the member `userId`" }),
    action: z.enum(accessActions),
    folderId: z.string().min(1).max(64).optional(),
    skill: SkillParams.shape.skill.optional(),
  })
  .refine(
    ({ folderId, skill }) => (folderId === undefined) !== (skill === undefined),
    "needs folderId or skill",
  )
  .refine(
    ({ userId, principal }) => (userId === undefined) !== (principal === undefined),
    "needs userId or principal",
  );
export type CheckAccess = z.output<typeof CheckAccess>;

/** A skill that is not published yet. */
export const ReadersQuery = z.object({
  folder: folderPath.optional(),
  visibility: z.enum(visibilities).default("private"),
});
export type ReadersQuery = z.output<typeof ReadersQuery>;

export const VersionParams = SkillParams.extend({
  version: z.string().min(1).max(256).meta({ description: "version number or exact semver" }),
});
export const FileParams = SkillParams.extend({ path: z.string().min(1).max(4096) });
export const UploadParams = z.object({ upload: z.string().max(64) });

export const Selector = z.object({
  version: z.string().max(256).optional().meta({ description: "version number" }),
  semver: z.string().max(256).optional().meta({ description: "exact version" }),
  range: z.string().max(256).optional().meta({ description: "semver range, channel or latest" }),
});

export const ResolveQuery = z.object({
  ref: z.string().min(1).max(500),
  version: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "number, exact version, range, channel or latest" }),
  installed: z.coerce.number().int().min(1).optional().meta({
    description: "number of the installed version; the answer says whether it should be removed",
  }),
  hash: z.string().max(128).optional().meta({
    description: "with `installed`: the hash of that version, which only those know who have it",
  }),
  withheld: flag.optional().meta({
    description:
      "also a skill of which no version can be installed, with its last one, for those who may see that",
  }),
});

export type ResolveQuery = z.infer<typeof ResolveQuery>;

export const VersionsQuery = z.object({
  spec: z.string().max(256).optional(),
  prerelease: flag.optional(),
  ...listQuery,
});

export const DiffQuery = z.object({
  from: z.string().min(1).max(256).meta({ description: "0: nothing, so that all files are added" }),
  to: z.string().max(256).optional().meta({ description: "default: the current version" }),
  context: z.coerce
    .number()
    .int()
    .min(0)
    .max(limits.diffContext)
    .default(3)
    .meta({ description: "unchanged lines around each change" }),
  renames: flag.optional().meta({
    description: "report a removed and an added file of similar content as one; default for a text",
  }),
});
