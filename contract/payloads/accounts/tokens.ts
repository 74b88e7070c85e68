/** Personal and organization tokens, as they cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

export const TokenPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.record(z.string(), z.array(z.string())).optional(),
    allowedFolderIds: z.array(z.string()).optional(),
    allowedFolders: z
      .array(
        z.object({
          id: z.string(),
          path: z.string().nullable().meta({
            description: "a long one without its beginning; null when it is gone or out of your sight",
          }),
        }),
      )
      .optional(),
    createdAt: timestamp,
    expiresAt: timestamp.optional(),
    lastUsedAt: timestamp.optional(),
    isLogin: z
      .literal(true)
      .optional()
      .meta({ description: "made by the sign-in of a device; each use moves its expiry" }),
  })
  .meta({ id: "Token" });
export type TokenPayload = z.infer<typeof TokenPayload>;

export const CurrentTokenPayload = TokenPayload.extend({
  organization: z
    .object({ tenantId: z.string(), slug: z.string(), name: z.string() })
    .optional()
    .meta({ description: "the organization that the token acts as; absent for a personal token" }),
}).meta({ id: "CurrentToken" });
export type CurrentTokenPayload = z.infer<typeof CurrentTokenPayload>;

export const CreatedTokenPayload = TokenPayload.extend({
  token: z.string().meta({ description: "the secret; shown this once" }),
}).meta({ id: "CreatedToken" });
export type CreatedTokenPayload = z.infer<typeof CreatedTokenPayload>;

const more = {
  createdBy: z.string().nullable().meta({ description: "user name; null when that account is gone" }),
};

export const OrganizationTokenPayload = TokenPayload.extend(more).meta({ id: "OrganizationToken" });
export type OrganizationTokenPayload = z.infer<typeof OrganizationTokenPayload>;

export const CreatedOrganizationTokenPayload = CreatedTokenPayload.extend(more).meta({
  id: "CreatedOrganizationToken",
});
export type CreatedOrganizationTokenPayload = z.infer<typeof CreatedOrganizationTokenPayload>;
