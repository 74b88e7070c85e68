/** Shapes of account management that cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

export const MembershipPayload = z.object({
  tenantId: z.string(),
  slug: z.string(),
  name: z.string(),
  mfaRequired: z.literal(true).optional().meta({
    description: "set while the organization refuses the user, who lacks a second factor",
  }),
  ssoRequired: z.string().optional().meta({
    description:
      "set while the user has to sign in through the organization's identity provider: the path to start at",
  }),
  confirmationRequired: z.literal(true).optional().meta({
    description: "set while the session, which another provider has opened, is to be confirmed",
  }),
});

export const IdentityPayload = z
  .object({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean().meta({ description: "whether a link that was sent there was followed" }),
    isAdministrator: z.boolean(),
    memberships: z.array(MembershipPayload),
    pendingInvitations: z.array(
      z.object({
        id: z.string(),
        organizationId: z.string(),
        organizationName: z.string(),
        organizationSlug: z.string(),
        expiresAt: timestamp,
      }),
    ),
  })
  .meta({ id: "Identity" });
export type IdentityPayload = z.infer<typeof IdentityPayload>;

export const SessionPayload = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: "whether the call itself came by this session" }),
    client: z.string().nullable().meta({ description: "families of browser and system: Firefox on Linux" }),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: "Session" });
export type SessionPayload = z.infer<typeof SessionPayload>;

export const EmailChangePayload = z
  .object({
    email: z.string().meta({ description: "the address that waits for its confirmation" }),
    expiresAt: timestamp,
  })
  .meta({ id: "EmailChange" });
export type EmailChangePayload = z.infer<typeof EmailChangePayload>;

export const ConfirmedEmailPayload = z
  .object({
    email: z.string(),
    changed: z.boolean().meta({ description: "whether it took the place of another address" }),
  })
  .meta({ id: "ConfirmedEmail" });
export type ConfirmedEmailPayload = z.infer<typeof ConfirmedEmailPayload>;

/** The link of a mail that confirms an address, read without using it. */
export const EmailLinkPayload = z
  .object({
    email: z.string().meta({ description: "the address that the link confirms" }),
    changes: z.boolean().meta({ description: "whether it takes the place of the current address" }),
  })
  .meta({ id: "EmailLink" });
export type EmailLinkPayload = z.infer<typeof EmailLinkPayload>;

/** The link of a mail that sets a new password, read without using it. */
export const ResetLinkPayload = z
  .object({
    endTokens: z.enum(["optional", "always"]).meta({
      description: "always: the address is confirmed by this reset, which therefore ends all API tokens",
    }),
  })
  .meta({ id: "ResetLink" });
export type ResetLinkPayload = z.infer<typeof ResetLinkPayload>;

/** The session or token that the link of a mail ends. */
export const AccessLinkPayload = z
  .object({
    kind: z.enum(["session", "token", "grant"]),
    description: z.string().meta({ description: "one sentence" }),
  })
  .meta({ id: "AccessLink" });
export type AccessLinkPayload = z.infer<typeof AccessLinkPayload>;
