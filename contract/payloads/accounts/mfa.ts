/** Shapes of second factors that cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

/** Ways to prove a sign-in after the password; a passkey also replaces the password. */
export const factorKinds = ["totp", "passkey", "recovery"] as const;
export type FactorKind = (typeof factorKinds)[number];

/** The answer to a right password of an account with a second factor. */
export const FactorNeededPayload = z
  .object({
    mfaRequired: z.array(z.enum(factorKinds)).meta({ description: "ways to complete the sign-in" }),
    ticket: z.string().meta({ description: "for `POST /api/auth/mfa/verify`, once, by the same browser" }),
    expiresAt: timestamp,
  })
  .meta({ id: "FactorNeeded" });
export type FactorNeededPayload = z.infer<typeof FactorNeededPayload>;

export const PasskeyPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    synced: z.boolean().meta({ description: "whether it is backed up, so that other devices can use it" }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: "Passkey" });
export type PasskeyPayload = z.infer<typeof PasskeyPayload>;

export const FactorStatePayload = z
  .object({
    enabled: z.boolean().meta({ description: "whether a sign-in with password needs a second factor" }),
    totp: z.object({ confirmedAt: timestamp }).nullable(),
    passkeys: z.array(PasskeyPayload),
    recoveryCodes: z.object({ left: z.number().int(), createdAt: timestamp }).nullable(),
    passkeysAvailable: z
      .boolean()
      .meta({ description: "whether browsers offer passkeys at the address of this service" }),
    verifiedUntil: timestamp.nullable().meta({
      description: "until then sensitive settings can be changed without another verification",
    }),
    hasPassword: z.boolean().meta({
      description: "false for an account that an identity provider has created, until it chooses one",
    }),
    providerStart: z.string().nullable().meta({
      description:
        "path at which an account without password and factor verifies itself: a sign-in through its identity provider",
    }),
    requiredBy: z
      .array(z.object({ tenantId: z.string(), slug: z.string(), name: z.string(), from: timestamp }))
      .meta({ description: "the user's organizations that require a second factor, and since when" }),
  })
  .meta({ id: "FactorState" });
export type FactorStatePayload = z.infer<typeof FactorStatePayload>;

export const TotpSetupPayload = z
  .object({
    secret: z.string().meta({ description: "base32, to be typed where no code can be scanned" }),
    uri: z.string().meta({ description: "otpauth URI" }),
    qr: z.string().meta({ description: "the URI as a QR code: an SVG document" }),
    expiresAt: timestamp,
  })
  .meta({ id: "TotpSetup" });
export type TotpSetupPayload = z.infer<typeof TotpSetupPayload>;

/** Recovery codes are shown once: when the first factor is added, and when they are renewed. */
export const RecoveryCodesPayload = z
  .object({
    recoveryCodes: z.array(z.string()).meta({ description: "empty if the previous ones stay valid" }),
  })
  .meta({ id: "RecoveryCodes" });
export type RecoveryCodesPayload = z.infer<typeof RecoveryCodesPayload>;

export const ReauthenticatedPayload = z.object({ verifiedUntil: timestamp }).meta({ id: "Reauthenticated" });

/** Options for the browser's `navigator.credentials`, as JSON of Web Authentication Level 3. */
export const PasskeyOptionsPayload = z.looseObject({ challenge: z.string() }).meta({ id: "PasskeyOptions" });

export const PasskeyCreationPayload = z
  .looseObject({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.number().int() })),
  })
  .meta({ id: "PasskeyCreation" });

export const AddedPasskeyPayload = z
  .object({ passkey: PasskeyPayload, recoveryCodes: RecoveryCodesPayload.shape.recoveryCodes })
  .meta({ id: "AddedPasskey" });

export const MfaRequirementPayload = z
  .object({
    required: z.boolean(),
    graceDays: z.number().int(),
    enforcedFrom: timestamp.nullable().meta({
      description: "members without a second factor are refused from then on; null if none is required",
    }),
    members: z.number().int(),
    membersWithout: z.number().int().meta({ description: "members whose account has no second factor" }),
  })
  .meta({ id: "MfaRequirement" });
export type MfaRequirementPayload = z.infer<typeof MfaRequirementPayload>;
