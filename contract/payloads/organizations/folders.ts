/** Folders and their access as they cross the wire. */
import { z } from "zod";
import { folderActs } from "../../dashboard/lists.ts";
import { accessActions, accessReasons, folderLevels, principalTypes } from "../../vocabulary.ts";
import { TokenPayload } from "../accounts/tokens.ts";
import { ExposurePayload, MovedReadersPayload } from "../skills/exposure.ts";
import { dryRunReach } from "../skills/reach.ts";
import { SkillPayload } from "../skills/skills.ts";

export const FolderPayload = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    parentId: z.string().nullable(),
    name: z.string(),
    slug: z.string(),
    path: z.string().meta({ description: "slash-separated slugs" }),
    restricted: z.boolean(),
    managed: z.boolean().meta({ description: "part of the personal workspaces" }),
    skillCount: z.number().int().meta({ description: "skills right in it that the caller may read" }),
    can: z
      .array(z.enum(folderActs))
      .optional()
      .meta({
        description:
          "what the caller's role, grants and token allow: read and publish skills in it, create folders in it, " +
          "update (rename, move) and delete it, manage its access",
      }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Folder" });
export type FolderPayload = z.infer<typeof FolderPayload>;

export const ChangedFolderPayload = FolderPayload.extend({
  exposure: ExposurePayload,
  readers: MovedReadersPayload.optional().meta({ description: "of a dry run with `parentId`" }),
}).meta({
  id: "ChangedFolder",
});
export type ChangedFolderPayload = z.infer<typeof ChangedFolderPayload>;

export const CreatedFolderPayload = z
  .object({
    path: z.string(),
    created: z.array(z.string()).meta({ description: "paths, from the outside in" }),
    alreadyExisted: z.boolean(),
    folder: FolderPayload,
  })
  .meta({ id: "CreatedFolder" });
export type CreatedFolderPayload = z.infer<typeof CreatedFolderPayload>;

export const FolderGrantPayload = z.object({
  principal: z.object({
    type: z.enum(principalTypes),
    id: z.string(),
    name: z.string().optional().meta({ description: "absent for one that is gone" }),
  }),
  level: z.enum(folderLevels),
});

export const TeamFolderPayload = z
  .object({
    folder: z.object({
      id: z.string(),
      path: z.string(),
      restricted: z.boolean().meta({ description: "false while the grant has no effect" }),
    }),
    level: z.enum(folderLevels),
  })
  .meta({ id: "TeamFolder" });
export type TeamFolderPayload = z.infer<typeof TeamFolderPayload>;

export const FolderAccessPayload = z
  .object({
    restricted: z.boolean(),
    grants: z
      .array(FolderGrantPayload)
      .meta({ description: "all of them for who may manage them, else the caller's own" }),
    governingFolderId: z.string().nullable(),
    level: z
      .enum(folderLevels)
      .nullable()
      .meta({ description: "the caller's own grant on the governing folder" }),
    canManage: z.boolean(),
    revision: z.number().int(),
  })
  .meta({ id: "FolderAccess" });
export type FolderAccessPayload = z.infer<typeof FolderAccessPayload>;

export const ChangedFolderAccessPayload = FolderAccessPayload.extend({ exposure: ExposurePayload }).meta({
  id: "ChangedFolderAccess",
});
export type ChangedFolderAccessPayload = z.infer<typeof ChangedFolderAccessPayload>;

const can = z.array(z.enum(accessActions)).meta({
  description: "what the member or token may do; `manage`: change the grants. Empty without access",
});
const holder = z.object({
  type: z
    .enum(["member", "token"])
    .meta({ description: "tokens: for who may manage them, after the members" }),
  id: z.string(),
  name: z.string().meta({ description: "user name, or name of the token" }),
});
const { scopes, allowedFolders } = TokenPayload.shape;

export const AccessReasonPayload = z
  .object({
    kind: z.enum(accessReasons),
    id: z.string().optional().meta({
      description: "of the role, the team, the token, the principal of the grant, or the restricted folder",
    }),
    name: z.string().optional().meta({ description: "of the same; of a folder, its path" }),
    type: z.enum(principalTypes).optional().meta({ description: "of a grant: who it is to" }),
    level: z.enum(folderLevels).optional().meta({ description: "of a grant" }),
    limits: z
      .object({ scopes, allowedFolders })
      .optional()
      .meta({ description: "of a token; empty if it has none" }),
  })
  .meta({ id: "AccessReason" });
export type AccessReasonPayload = z.infer<typeof AccessReasonPayload>;

export const EffectiveAccessPayload = z
  .object({
    principal: holder,
    can,
    reasons: z.array(AccessReasonPayload).meta({ description: "why; without access, why not" }),
  })
  .meta({ id: "EffectiveAccess" });
export type EffectiveAccessPayload = z.infer<typeof EffectiveAccessPayload>;

/** Access of a member to a restricted folder or, without a folder, wherever no restriction applies. */
export const MemberFolderPayload = z
  .object({
    folder: z
      .object({ id: z.string(), path: z.string() })
      .nullable()
      .meta({ description: "null: the folders without a restriction" }),
    can,
    reasons: z.array(AccessReasonPayload).meta({ description: "why; without access, why not" }),
  })
  .meta({ id: "MemberFolder" });
export type MemberFolderPayload = z.infer<typeof MemberFolderPayload>;

export const PlannedAccessPayload = z
  .object({
    principal: holder,
    before: can,
    can: can.meta({ description: "what the member or token may do after the change" }),
  })
  .meta({ id: "PlannedAccess" });
export type PlannedAccessPayload = z.infer<typeof PlannedAccessPayload>;

export const AccessCheckPayload = EffectiveAccessPayload.extend({ allowed: z.boolean() }).meta({
  id: "AccessCheck",
});
export type AccessCheckPayload = z.infer<typeof AccessCheckPayload>;

export const MovedSkillPayload = z
  .object({
    skill: SkillPayload,
    from: z.object({ folderId: z.string().nullable() }),
    to: z.object({ folderId: z.string().nullable(), path: z.string() }),
    moved: z.boolean().meta({ description: "false when it lay there already" }),
    exposure: ExposurePayload,
    readers: MovedReadersPayload.optional().meta({ description: "of a dry run" }),
    reach: dryRunReach,
  })
  .meta({ id: "MovedSkill" });
export type MovedSkillPayload = z.infer<typeof MovedSkillPayload>;
