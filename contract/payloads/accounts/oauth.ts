/** The OAuth authorization server: responses by its standards, and grants as their owners see them. */
import { z } from "zod";
import { oauthAccess } from "../../vocabulary.ts";
import { timestamp } from "../timestamp.ts";

/** RFC 7591, section 3.2.1. */
export const RegisteredClientPayload = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.number().int(),
    client_name: z.string().optional(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal("none"),
  })
  .meta({ id: "RegisteredClient" });
export type RegisteredClientPayload = z.infer<typeof RegisteredClientPayload>;

/** RFC 6749, section 5.1. */
export const OauthTokenPayload = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.number().int(),
    refresh_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: "OauthToken" });
export type OauthTokenPayload = z.infer<typeof OauthTokenPayload>;

export const GrantPayload = z
  .object({
    id: z.string(),
    client: z.object({
      id: z.string(),
      name: z.string().meta({ description: "as the client calls itself; empty if it has no name" }),
      host: z
        .string()
        .nullable()
        .meta({ description: "verified host of the client; null for a registered one" }),
    }),
    redirectsTo: z.object({
      kind: z.enum(["web", "loopback", "program"]),
      name: z.string().meta({ description: "host, or scheme of a program" }),
    }),
    access: z.enum(oauthAccess),
    resource: z.string().meta({ description: "address of the endpoint that the client can call" }),
    moreResources: z
      .array(z.string())
      .optional()
      .meta({ description: "further endpoints that it can call, if it has asked for several" }),
    organizations: z
      .array(z.object({ id: z.string(), slug: z.string(), name: z.string() }))
      .meta({ description: "where the client may act, as far as you are a member" }),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional(),
    expiresAt: timestamp.meta({ description: "unless the client renews its access before" }),
  })
  .meta({ id: "Grant" });
export type GrantPayload = z.infer<typeof GrantPayload>;
