/** CI pipelines: trust policies, the exchange of identity tokens, and the origin of what a pipeline published. */
import { z } from "zod";
import { ciProviders } from "../../vocabulary.ts";
import { timestamp } from "../timestamp.ts";

export const CiOrigin = z
  .object({
    repository: z.string().meta({ description: "`owner/name`, or the path of a GitLab project" }),
    ref: z.string().meta({ description: "full name, such as refs/heads/main" }),
    commit: z.string().optional(),
    workflow: z.string().optional().meta({ description: "file or name of the pipeline's definition" }),
    runUrl: z.string().optional().meta({ description: "page of the run at the provider" }),
  })
  .meta({ id: "CiOrigin", description: "the run of a CI pipeline, from its verified identity token" });
export type CiOrigin = z.infer<typeof CiOrigin>;

export const OidcPolicyPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.enum(ciProviders),
    issuer: z.string(),
    repository: z.string(),
    ref: z.string(),
    environment: z.string().optional(),
    events: z.array(z.string()).optional().meta({ description: "absent: the provider's default events" }),
    workflow: z.string().optional().meta({ description: "required file of the pipeline's definition" }),
    protectedRef: z.boolean().meta({ description: "whether the ref must be protected at the provider" }),
    scopes: z.record(z.string(), z.array(z.string())).optional(),
    allowedFolderIds: z.array(z.string()).optional(),
    allowedFolders: z
      .array(
        z.object({
          id: z.string(),
          path: z.string().nullable().meta({ description: "null when it is gone or out of your sight" }),
        }),
      )
      .optional(),
    skillIds: z.array(z.string()).optional(),
    skills: z
      .array(
        z.object({
          id: z.string(),
          slug: z.string().nullable().meta({ description: "null when it is gone or out of your sight" }),
        }),
      )
      .optional(),
    enabled: z.boolean(),
    pinned: z
      .object({ ownerId: z.string(), repositoryId: z.string().optional(), at: timestamp })
      .optional()
      .meta({
        description: "ids of the first exchange; a repository of the same name with others is refused",
      }),
    lastExchange: CiOrigin.extend({ at: timestamp }).optional(),
    createdBy: z.string().nullable().meta({ description: "user name; null when that account is gone" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "OidcPolicy" });
export type OidcPolicyPayload = z.infer<typeof OidcPolicyPayload>;

export const OidcIssuerPayload = z
  .object({
    provider: z.enum(ciProviders),
    issuer: z.string(),
    audience: z.string().meta({ description: "the audience that a pipeline requests its token for" }),
  })
  .meta({ id: "OidcIssuer" });
export type OidcIssuerPayload = z.infer<typeof OidcIssuerPayload>;

export const OidcExchangePayload = z
  .object({
    token: z.string().meta({ description: "an API token of the organization" }),
    expiresAt: timestamp,
  })
  .meta({ id: "OidcExchange" });
export type OidcExchangePayload = z.infer<typeof OidcExchangePayload>;

export const OidcCheck = z
  .object({
    claim: z.string().meta({ description: "the claim or part of the token that was checked" }),
    passed: z.boolean(),
    expected: z.string().optional(),
    actual: z.string().optional().meta({ description: "absent where the token has none" }),
    message: z.string().optional().meta({ description: "the problem and its remedy" }),
  })
  .meta({ id: "OidcCheck" });
export type OidcCheck = z.infer<typeof OidcCheck>;

export const OidcTestPayload = z
  .object({
    run: z
      .object({
        provider: z.enum(ciProviders),
        issuer: z.string(),
        repository: z.string(),
        ref: z.string(),
        event: z.string().optional(),
        workflow: z
          .string()
          .optional()
          .meta({ description: "as `workflow` of a policy names its definition" }),
      })
      .optional()
      .meta({ description: "terms of the run, for a policy; only for a token that its issuer has signed" }),
    accepted: z.boolean().meta({ description: "whether an exchange of the token would succeed now" }),
    checks: z.array(OidcCheck).meta({ description: "of the token itself, in the order of the exchange" }),
    policies: z.array(
      z.object({ id: z.string(), name: z.string(), matches: z.boolean(), checks: z.array(OidcCheck) }),
    ),
  })
  .meta({ id: "OidcTest" });
export type OidcTestPayload = z.infer<typeof OidcTestPayload>;
