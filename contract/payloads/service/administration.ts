/** Accounts and organizations, as administrators of the service see them. */
import { z } from "zod";
import { anonymousMcpModes, signUpModes } from "../../vocabulary.ts";
import { StorageUsagePayload } from "../organizations/organizations.ts";
import { timestamp } from "../timestamp.ts";

export const AdminUserPayload = z
  .object({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    isAdministrator: z.boolean(),
    organizations: z.array(z.object({ id: z.string(), slug: z.string(), role: z.string() })),
    lastSeenAt: z.iso.date().nullable().meta({ description: "day of the last use of a session or token" }),
    suspended: z
      .object({ at: timestamp, by: z.string().meta({ description: "user name" }), reason: z.string() })
      .nullable(),
    hasSecondFactor: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: "AdminUser" });
export type AdminUserPayload = z.infer<typeof AdminUserPayload>;

export const AdminOrganizationPayload = z
  .object({
    id: z.string(),
    slug: z.string(),
    formerSlugs: z.array(z.string()),
    name: z.string(),
    owners: z.array(z.object({ id: z.string(), username: z.string() })).meta({ description: "the first 10" }),
    members: z.number().int(),
    skills: z.number().int(),
    countedAt: timestamp.meta({
      description: "time of both counts: of a large organization, up to a day ago",
    }),
    storage: StorageUsagePayload,
    connected: z.boolean().meta({ description: "whether a repository is connected" }),
    deletionAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: "AdminOrganization" });
export type AdminOrganizationPayload = z.infer<typeof AdminOrganizationPayload>;

export const ServiceSettingsPayload = z
  .object({
    signUp: z.enum(signUpModes).meta({ description: "who can create an account" }),
    configuredSignUp: z
      .enum(signUpModes)
      .meta({ description: "SIGN_UP of the configuration, which applies until an administrator decides" }),
    anonymousMcp: z
      .enum(anonymousMcpModes)
      .meta({ description: "whether agents can use the MCP server without a sign-in" }),
    configuredAnonymousMcp: z.enum(anonymousMcpModes).meta({
      description: "Configured MCP_ANONYMOUS, which applies until an administrator decides",
    }),
    rootCollection: z
      .string()
      .nullable()
      .meta({ description: "org/collection whose skills other clients find at the root of the service" }),
  })
  .meta({ id: "ServiceSettings" });
export type ServiceSettingsPayload = z.infer<typeof ServiceSettingsPayload>;
