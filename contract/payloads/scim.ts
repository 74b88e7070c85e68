/** SCIM of an organization: state, token and log for its owners. The requests of identity providers follow RFC 7644. */
import { z } from "zod";

export const scimOutcomes = ["read", "changed", "unchanged", "refused", "failed"] as const;

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
      invited: z.number().int().meta({ description: "active users who have not accepted their invitation" }),
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

export const ScimLogEntryPayload = z
  .object({
    id: z.string(),
    at: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.number().int(),
    outcome: z.enum(scimOutcomes),
    detail: z.string().optional().meta({ description: "reason of a refusal or failure" }),
    subject: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
    changes: z.array(z.string()).optional(),
    count: z.number().int().optional().meta({ description: "requests without a valid token in that minute" }),
  })
  .meta({ id: "ScimLogEntry" });
export type ScimLogEntryPayload = z.output<typeof ScimLogEntryPayload>;
