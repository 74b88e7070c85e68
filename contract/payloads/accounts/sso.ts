/** Shapes of single sign-on that cross the wire: providers, group mappings, test sign-ins and the sign-in log. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

export const ssoTypes = ["saml", "oidc"] as const;
export type SsoType = (typeof ssoTypes)[number];

/** Meanings of a response without the attribute of the groups, for the teams of a person. */
export const absentGroups = ["unchanged", "none"] as const;
export type AbsentGroups = (typeof absentGroups)[number];

export const SsoCertificate = z
  .object({
    fingerprint: z.string().meta({ description: "SHA-256 of the certificate, lower-case hexadecimal" }),
    subject: z.string(),
    notAfter: timestamp.meta({ description: "end of the certificate's validity" }),
    expired: z.boolean(),
  })
  .meta({ id: "SsoCertificate" });
export type SsoCertificate = z.infer<typeof SsoCertificate>;

const SsoEncryptionKey = z
  .object({
    fingerprint: z.string().meta({
      description: "SHA-256 of its certificate, lower-case hexadecimal",
    }),
    createdAt: timestamp,
  })
  .meta({ id: "SsoEncryptionKey" });

const SamlSettings = z.object({
  entityId: z.string().meta({ description: "entity id of the identity provider" }),
  ssoUrl: z.string().meta({ description: "address of its single sign-on service (HTTP-Redirect)" }),
  certificates: z.array(SsoCertificate),
  metadataUrl: z.string().optional().meta({ description: "read again every day" }),
  metadataReadAt: timestamp.optional(),
  metadataValidUntil: timestamp.optional().meta({
    description: "end of the validity of metadata that was entered as a text",
  }),
  metadataError: z.string().optional().meta({ description: "why the last reading of the metadata failed" }),
});

const OidcSettings = z.object({
  issuer: z.string(),
  clientId: z.string(),
  hasClientSecret: z.literal(true).meta({ description: "the secret itself is never returned" }),
});

export const SsoProviderPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(ssoTypes),
    enabled: z.boolean().meta({ description: "whether members can sign in through it" }),
    enforced: z
      .boolean()
      .meta({ description: "whether members other than owners have to have signed in through it" }),
    jit: z
      .object({
        enabled: z.boolean().meta({ description: "whether people without an account or membership get one" }),
        role: z
          .string()
          .meta({ description: "role of new members: a built-in one, or the id of a custom one" }),
      })
      .meta({ description: "just-in-time provisioning" }),
    groupsAttribute: z
      .string()
      .nullable()
      .meta({ description: "attribute or claim with a person's groups; null tries the usual names" }),
    absentGroups: z.enum(absentGroups).meta({
      description:
        "meaning of a response without groups: `unchanged` keeps the teams of the person, `none` is as without groups",
    }),
    groupsOverageAt: timestamp.nullable().meta({
      description:
        "last sign-in in 30 days whose groups were too many to be sent or read, so that no team changed",
    }),
    saml: SamlSettings.optional().meta({ description: "absent until the connection is entered" }),
    oidc: OidcSettings.optional().meta({ description: "absent until the connection is entered" }),
    encryptionKeys: z.array(SsoEncryptionKey).meta({
      description:
        "SAML: keys of this service for encrypted assertions; the first one is in its metadata, the second one still decrypts",
    }),
    domains: z.array(z.string()).meta({ description: "verified domains of the organization" }),
    urls: z
      .object({
        metadata: z.string().optional().meta({ description: "SAML: our metadata, and our entity id" }),
        acs: z.string().optional().meta({ description: "SAML: assertion consumer service (HTTP-POST)" }),
        callback: z.string().optional().meta({ description: "OpenID Connect: redirect URI" }),
        start: z.string().meta({ description: "starts a sign-in" }),
      })
      .meta({ description: "addresses of this service for the identity provider" }),
    testedAt: timestamp.nullable().meta({
      description: "last successful sign-in or test with the current connection; needed to enforce it",
    }),
    lastSignInAt: timestamp.nullable(),
    createdBy: z.string().nullable().meta({ description: "user name; null when that account is gone" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "SsoProvider" });
export type SsoProviderPayload = z.infer<typeof SsoProviderPayload>;

export const SsoConsequencesPayload = z
  .object({
    members: z
      .number()
      .int()
      .meta({ description: "members other than owners, who have to sign in through it" }),
    signedIn: z.number().int().meta({ description: "people who have signed in through the provider" }),
    outside: z
      .object({
        count: z.number().int(),
        examples: z.array(z.object({ username: z.string(), email: z.string() })),
      })
      .meta({
        description:
          "members whose address is in no verified domain: they lose access, unless they are linked",
      }),
    owners: z.array(z.object({ username: z.string(), hasFactor: z.boolean() })).meta({
      description: "owners keep access with a second factor of their own",
    }),
  })
  .meta({ id: "SsoConsequences" });
export type SsoConsequencesPayload = z.infer<typeof SsoConsequencesPayload>;

export const SsoGroupMapping = z
  .object({
    group: z.string().meta({ description: "name or id of the group as the provider sends it" }),
    teamId: z.string(),
    team: z.string().nullable().meta({ description: "name of the team; null when it was deleted" }),
  })
  .meta({ id: "SsoGroupMapping" });
export type SsoGroupMapping = z.infer<typeof SsoGroupMapping>;

/** The outcome of one check of a response. */
export const SsoCheck = z
  .object({
    name: z.string().meta({ description: "stable name of the check, such as `signature`" }),
    title: z.string().meta({ description: "the check in words" }),
    result: z.enum(["passed", "failed", "skipped"]).meta({
      description: "skipped: an earlier check failed, or the response has nothing to check",
    }),
    message: z.string().optional().meta({ description: "the problem and its remedy" }),
  })
  .meta({ id: "SsoCheck" });
export type SsoCheck = z.infer<typeof SsoCheck>;

export const SsoTestStartPayload = z
  .object({
    id: z.string(),
    url: z.string().meta({ description: "to be opened by the browser of the caller, in a new tab" }),
    expiresAt: timestamp,
  })
  .meta({ id: "SsoTestStart" });
export type SsoTestStartPayload = z.infer<typeof SsoTestStartPayload>;

export const SsoTestPayload = z
  .object({
    id: z.string(),
    state: z.enum(["pending", "passed", "failed"]),
    checks: z.array(SsoCheck).meta({ description: "in their order; empty while pending" }),
    subject: z.string().nullable(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    groups: z
      .array(z.string())
      .nullable()
      .meta({ description: "null if the provider sent no such attribute" }),
    groupsProblem: z.enum(["overage", "unread"]).nullable().meta({
      description:
        "why the groups are not known, so that no team changes: too many to be sent or read, or a user info that could not be read",
    }),
    attributes: z.record(z.string(), z.array(z.string())),
    outcome: z.string().nullable().meta({
      description: "sentence about the effect that a sign-in would have had; a test changes nothing",
    }),
    expiresAt: timestamp,
  })
  .meta({ id: "SsoTest" });
export type SsoTestPayload = z.infer<typeof SsoTestPayload>;

export const SsoSignInPayload = z
  .object({
    id: z.string(),
    number: z.string().meta({ description: "number that the page of a failed sign-in shows" }),
    providerId: z.string(),
    provider: z.string().nullable().meta({ description: "name; null when it was deleted" }),
    at: timestamp,
    outcome: z.enum(["signed_in", "failed", "link_offered", "tested"]),
    reason: z.string().nullable().meta({
      description:
        "name of the check that failed; after a success `groups-overage` or `groups-unread`, if no team could change",
    }),
    message: z.string().nullable().meta({ description: "the problem and its remedy" }),
    subject: z.string().nullable(),
    email: z.string().nullable(),
    userId: z.string().nullable(),
  })
  .meta({ id: "SsoSignIn" });
export type SsoSignInPayload = z.infer<typeof SsoSignInPayload>;
