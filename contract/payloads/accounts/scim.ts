/** SCIM of an organization: state, token and log for its owners. The requests of identity providers follow RFC 7644. */
import { z } from "zod";
import { scimOutcomes } from "../../vocabulary.ts";

export const ScimStatePayload = z
  .object({
    enabled: z.boolean(),
    baseUrl: z.string().nullable().meta({ description: "address for the identity provider" }),
    enabledAt: z.string().nullable(),
    enabledBy: z.string().nullable().meta({ description: "user name at that time" }),
    tokenCreatedAt: z.string().nullable(),
    formerTokenUntil: z
      .string()
      .nullable()
      .meta({ description: "the token before the last rotation is valid until then" }),
    lastUsedAt: z.string().nullable(),
    users: z.object({
      active: z.number().int(),
      inactive: z.number().int(),
      invited: z.number().int().meta({ description: "users whose person has not accepted the invitation" }),
    }),
    groups: z.number().int(),
    teams: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .meta({ description: "existing teams whose members SCIM manages" }),
  })
  .meta({ id: "ScimState" });
export type ScimStatePayload = z.output<typeof ScimStatePayload>;

export const ScimTokenPayload = z
  .object({
    baseUrl: z.string(),
    token: z.string().meta({ description: "shown once" }),
    formerTokenUntil: z.string().nullable(),
  })
  .meta({ id: "ScimToken" });
export type ScimTokenPayload = z.output<typeof ScimTokenPayload>;

export const ScimUserPayload = z
  .object({
    id: z.string(),
    userName: z.string(),
    name: z.string().nullable().meta({ description: "displayName, if the identity provider sends one" }),
    email: z.string(),
    active: z.boolean(),
    invited: z
      .boolean()
      .meta({ description: "the person has not accepted the invitation, so is not active" }),
    reason: z.string().nullable().meta({ description: "why the person was invited" }),
    account: z
      .object({ userId: z.string(), username: z.string() })
      .nullable()
      .meta({ description: "the linked account" }),
    groups: z.array(z.object({ id: z.string(), name: z.string() })),
    updatedAt: z.string(),
  })
  .meta({ id: "ScimUser" });
export type ScimUserPayload = z.output<typeof ScimUserPayload>;

export const ScimGroupPayload = z
  .object({
    id: z.string().meta({ description: "also that of the team" }),
    name: z.string(),
    members: z.number().int(),
    isMapped: z.boolean().meta({ description: "an existing team that an owner has put under SCIM" }),
    updatedAt: z.string(),
  })
  .meta({ id: "ScimGroup" });
export type ScimGroupPayload = z.output<typeof ScimGroupPayload>;

export const ScimLogEntryPayload = z
  .object({
    id: z.string(),
    at: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.number().int(),
    outcome: z.enum(scimOutcomes),
    detail: z
      .string()
      .optional()
      .meta({ description: "reason of a refusal or failure, also of a part of the request only" }),
    subject: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
    changes: z.array(z.string()).optional(),
    ignored: z
      .array(z.string())
      .optional()
      .meta({ description: "unknown attributes and members, which were left out" }),
    count: z.number().int().optional().meta({ description: "requests without a valid token in that minute" }),
  })
  .meta({ id: "ScimLogEntry" });
export type ScimLogEntryPayload = z.output<typeof ScimLogEntryPayload>;
