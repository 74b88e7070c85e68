import { z } from "zod";
import { oneLineText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { reservedSlugs } from "../../contract/names/reserved-slugs.ts";
import { slugPattern } from "../../contract/names/slug.ts";
import { ScanPolicyPayload } from "../../contract/payloads/skills/scans.ts";
import { customRoleActions, isAnonymousName } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import { isBuiltIn, ownerRole } from "../access/permissions.ts";
import { permissionMap } from "../access/schema.ts";
import { listQuery } from "../http/request/cursor.ts";
import { email, foldName, personName } from "../users/schema.ts";

/** Lower-case letters, digits and single inner hyphens; never a first path segment of the service. */
export const orgSlug = z
  .string()
  .min(limits.orgSlug.min)
  .max(limits.orgSlug.max)
  .regex(slugPattern, "must be lower-case letters, digits and single hyphens between them")
  .refine((slug) => !(reservedSlugs as readonly string[]).includes(slug), "is reserved by the service")
  .refine((slug) => !isAnonymousName(slug), "is kept for anonymous sharing");

export const orgName = z
  .string()
  .trim()
  .min(limits.orgName.min)
  .max(limits.orgName.max)
  .regex(oneLineText, "must not contain control characters");

export const CreateTenant = z.strictObject({
  name: orgName,
  slug: orgSlug.optional().meta({ description: "default: made from the name" }),
});
export type CreateTenant = z.output<typeof CreateTenant>;

const orgDescription = z
  .string()
  .trim()
  .max(limits.orgDescription)
  .regex(oneLineText, "must not contain control characters");

export const UpdateTenant = z
  .strictObject({
    name: orgName.optional(),
    slug: orgSlug.optional().meta({ description: "the previous one keeps leading here" }),
    description: orgDescription.optional().meta({ description: "empty removes it" }),
    maxTokenDays: z
      .number()
      .int()
      .min(1)
      .max(limits.tokenExpiryDaysMax)
      .nullable()
      .optional()
      .meta({
        description:
          "age in days from which API tokens don't act in the organization; null removes the limit; " +
          "needs security: manage",
      }),
    scanPolicy: ScanPolicyPayload.optional().meta({
      description: "how versions are treated in which a scan finds something; needs security: manage",
    }),
  })
  .refine(
    (fields) => Object.keys(fields).length > 0,
    "needs name, slug, description, maxTokenDays or scanPolicy",
  );
export type UpdateTenant = z.output<typeof UpdateTenant>;

const tenant = z.string().min(1).max(64).meta({ description: "id or slug" });
const id = z.string().min(1).max(64);

export const TenantParams = z.object({ tenant });
export const MemberParams = z.object({ tenant, userId: id });
export const TeamParams = z.object({ tenant, id });
export const TeamMemberParams = z.object({ tenant, id, userId: id });
export const RoleParams = z.object({ tenant, id });
export const InvitationParams = z.object({ tenant, id });

/** A built-in role's name or a custom role's id. */
const role = z.string().min(1).max(64).meta({ description: "owner, admin, member, viewer, or a role's id" });

export const ListQuery = z.object(listQuery);
export type ListQuery = z.output<typeof ListQuery>;

export const MemberQuery = z.object({
  query: z
    .string()
    .trim()
    .max(limits.searchQuery)
    .refine((text) => !text.includes("\0"), "must not contain NUL")
    .optional()
    .transform((text) => (text === "" ? undefined : text))
    .meta({ description: "beginning of a username, or of a word of a name" }),
  role: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: "members who have it themselves: a built-in role's name, or a role's id" }),
  team: id.optional().meta({ description: "members of the team with this id" }),
  ...listQuery,
});
export type MemberQuery = z.output<typeof MemberQuery>;

export const AdminOrganizationQuery = z.object({
  query: z.string().trim().min(1).max(100).optional().meta({ description: "beginning of a slug, or an id" }),
  ...listQuery,
});
export type AdminOrganizationQuery = z.output<typeof AdminOrganizationQuery>;

export const AdminOrganizationParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id" }),
});

export const StorageLimit = z.strictObject({
  limitBytes: z
    .number()
    .int()
    .min(1024 * 1024)
    .max(1024 ** 5)
    .nullable()
    .meta({ description: "null: the limit of the service applies" }),
  reason: z.string().trim().min(1).max(limits.takedownReason),
});
export type StorageLimit = z.output<typeof StorageLimit>;

/** User name and id of the last member. */
export const MemberCursor = z.tuple([z.string(), z.string()]);
/** Folded name of the last one. */
export const NameCursor = z.tuple([z.string()]);
/** Id of the last one. */
export const IdCursor = z.tuple([z.string().refine(isId)]);

export const ChangeMember = z.strictObject({ role });
export type ChangeMember = z.output<typeof ChangeMember>;

/** The name of a team or a role. */
const groupName = (max: number) => personName.max(max);

const carriedRoles = z
  .array(
    role.refine((name) => name !== ownerRole, "owner can't be carried by a team: people are made owners"),
  )
  .max(limits.rolesPerTeam)
  .overwrite((given) => [...new Set(given)]);

const teamDescription = z
  .string()
  .trim()
  .max(limits.teamDescription)
  .regex(oneLineText, "must not contain control characters");

export const CreateTeam = z.strictObject({
  name: groupName(limits.teamName),
  description: teamDescription.optional(),
  roles: carriedRoles.default([]),
});
export type CreateTeam = z.output<typeof CreateTeam>;

export const UpdateTeam = z
  .strictObject({
    name: groupName(limits.teamName).optional(),
    description: teamDescription.optional().meta({ description: "empty removes it" }),
    roles: carriedRoles.optional(),
  })
  .refine((fields) => Object.keys(fields).length > 0, "needs name, description or roles");
export type UpdateTeam = z.output<typeof UpdateTeam>;

const RolePermissions = permissionMap(customRoleActions).meta({
  description: "permission groups to actions (docs/concepts/access.md)",
});

export const CreateRole = z.strictObject({ name: roleName(), permissions: RolePermissions });
export type CreateRole = z.output<typeof CreateRole>;

export const UpdateRole = z
  .strictObject({ name: roleName().optional(), permissions: RolePermissions.optional() })
  .refine((fields) => Object.keys(fields).length > 0, "needs name or permissions");
export type UpdateRole = z.output<typeof UpdateRole>;

/** A custom role must not look like a built-in one. */
function roleName() {
  return groupName(limits.roleName).refine((name) => !isBuiltIn(foldName(name)), "is a built-in role's name");
}

const invitationOffer = {
  role: role.default("member"),
  teamIds: z
    .array(id)
    .max(limits.teamsPerMember)
    .overwrite((given) => [...new Set(given)])
    .default([]),
};

export const CreateInvitation = z.strictObject({ email, ...invitationOffer });
export type CreateInvitation = z.output<typeof CreateInvitation>;

export const CreateInvitations = z.strictObject({
  emails: z
    .array(z.string().max(limits.email))
    .min(1)
    .max(limits.invitationBatchSize)
    .meta({ description: "addresses; one that is invalid or refused does not prevent the others" }),
  ...invitationOffer,
});
export type CreateInvitations = z.output<typeof CreateInvitations>;

export const InvitationTokenParams = z.object({
  token: z.string().min(1).max(200).meta({ description: "of the mail's link, or an invitation's id" }),
});
