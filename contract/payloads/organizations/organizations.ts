/** Organizations, their members, teams, roles and invitations of organizations, as they cross the wire. */
import { z } from "zod";
import { ScanPolicyPayload } from "../skills/scans.ts";
import { timestamp } from "../timestamp.ts";

/** Groups to actions (`docs/concepts/access.md`). */
export const PermissionsPayload = z
  .record(z.string(), z.array(z.string()))
  .meta({ description: "permission groups to actions" });

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
    maxTokenDays: z
      .number()
      .int()
      .nullable()
      .meta({ description: "age from which an API token does not act here any more; null without a limit" }),
    scanPolicy: ScanPolicyPayload.meta({
      description: "how versions are treated in which a scan finds something",
    }),
    deletionAt: timestamp
      .optional()
      .meta({ description: "set while the organization waits to be erased; until then it can be restored" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Tenant" });
export type TenantPayload = z.infer<typeof TenantPayload>;

export const StorageUsagePayload = z
  .object({
    bytes: z.number().int().nullable().meta({
      description: "storage of all versions of all skills at `countedAt`; null if it was not counted yet",
    }),
    countedAt: timestamp.nullable(),
    limitBytes: z
      .number()
      .int()
      .nullable()
      .meta({ description: "from which on new skills and versions are refused; null without a limit" }),
    hasOwnLimit: z.boolean().meta({ description: "whether an administrator of the service set the limit" }),
  })
  .meta({ id: "StorageUsage" });
export type StorageUsagePayload = z.infer<typeof StorageUsagePayload>;

export const MemberPayload = z
  .object({
    userId: z.string(),
    username: z.string(),
    name: z.string(),
    email: z.string().optional().meta({ description: "for those who may change members" }),
    role: z.string().meta({ description: "a built-in role's name, or a custom role's id" }),
    roleName: z.string().optional(),
    teamIds: z.array(z.string()),
    teams: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
    lastSeenAt: z.iso.date().nullable().optional().meta({
      description: "day of the last use of the account; for those who may change members",
    }),
    provisioned: z.boolean().optional().meta({
      description: "an identity provider manages the member with SCIM; for those who may change members",
    }),
    joinedAt: timestamp,
  })
  .meta({ id: "Member" });
/** Fields of a page of members. */
export const memberPageFields = {
  total: z
    .number()
    .int()
    .optional()
    .meta({ description: "members that match; on the first page, without `query`" }),
};
export type MemberPayload = z.infer<typeof MemberPayload>;

export const TeamPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    members: z.number().int().meta({ description: "number of its members" }),
    roles: z
      .array(z.string())
      .meta({ description: "that every member of the team has besides their own: names or ids" }),
    roleNames: z
      .array(z.string())
      .meta({ description: "names of `roles`, in their order; the id of a role that was deleted" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Team" });
export type TeamPayload = z.infer<typeof TeamPayload>;

export const RolePayload = z
  .object({
    id: z.string().meta({ description: "a built-in role's name, or a custom role's id" }),
    name: z.string(),
    isBuiltIn: z.boolean(),
    permissions: PermissionsPayload,
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
  })
  .meta({ id: "Role" });
export type RolePayload = z.infer<typeof RolePayload>;

export const InvitationPayload = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.string(),
    roleName: z.string(),
    teamIds: z.array(z.string()),
    teams: z.array(z.object({ id: z.string(), name: z.string() })),
    invitedBy: z.string().meta({ description: "user name" }),
    createdAt: timestamp,
    expiresAt: timestamp,
    url: z.string().optional().meta({
      description: "page where the invited person accepts, signed in with the address; it contains no secret",
    }),
    mail: z
      .enum(["waiting", "sent", "failed"])
      .meta({ description: "failed: the mail server refuses the address" }),
  })
  .meta({ id: "Invitation" });
export type InvitationPayload = z.infer<typeof InvitationPayload>;

/** The link of an invitation that its sender hands over. */
export const InvitationLinkPayload = z
  .object({
    url: z.string().meta({
      description:
        "page where the invited person accepts; without a mail server, its holder can create the account of the " +
        "address and join",
    }),
  })
  .meta({ id: "InvitationLink" });
export type InvitationLinkPayload = z.infer<typeof InvitationLinkPayload>;

/** Outcome of one address of a request that invites many. */
export const InvitationOutcomePayload = z
  .object({
    email: z.string().meta({ description: "as given" }),
    outcome: z.enum(["invited", "alreadyMember", "failed"]),
    invitation: InvitationPayload.optional(),
    url: z.string().optional().meta({ description: "its link, as of `InvitationLink`" }),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: "InvitationOutcome" });
export type InvitationOutcomePayload = z.infer<typeof InvitationOutcomePayload>;

/** An invitation as the holder of its link, or the invited account, sees it. */
export const InvitationOfferPayload = z
  .object({
    id: z.string(),
    organization: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    invitedBy: z.string().meta({ description: "user name, or name of the organization's token" }),
    role: z.string().meta({ description: "a built-in role's name, or a custom role's id" }),
    roleName: z.string(),
    teams: z
      .array(z.string())
      .optional()
      .meta({ description: "names of the teams that it adds; for the invited account only" }),
    email: z.string().meta({ description: "masked, except for the invited account" }),
    matches: z
      .boolean()
      .nullable()
      .meta({ description: "whether the caller's account has the invited address; null if not signed in" }),
    canSignUp: z
      .boolean()
      .meta({ description: "whether an account with that address can be created with this token" }),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: "InvitationOffer" });
export type InvitationOfferPayload = z.infer<typeof InvitationOfferPayload>;

export const JoinedPayload = z
  .object({ tenantId: z.string(), tenantSlug: z.string(), tenantName: z.string(), role: z.string() })
  .meta({ id: "Joined" });
export type JoinedPayload = z.infer<typeof JoinedPayload>;
