import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { oldPassword } from "../auth/schema.ts";

const code = z
  .string()
  .min(1)
  .max(40)
  .meta({ description: "the six digits that the authenticator app shows" });
const recoveryCode = z.string().min(1).max(40).meta({ description: "one of the account's recovery codes" });
const base64url = z.string().max(20_000);

/** The answer of `navigator.credentials.get`, as JSON of Web Authentication Level 3. */
export const PasskeyAssertion = z
  .object({
    id: z.string().min(1).max(2000),
    rawId: base64url,
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url.nullish().transform((handle) => handle ?? undefined),
    }),
    clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
    authenticatorAttachment: z.string().max(40).nullish(),
  })
  .meta({ id: "PasskeyAssertion", description: "the browser's answer to the options, as JSON" });
export type PasskeyAssertion = z.output<typeof PasskeyAssertion>;

/** The answer of `navigator.credentials.create`. */
export const PasskeyAttestation = z
  .object({
    id: z.string().min(1).max(2000),
    rawId: base64url,
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON: base64url,
      attestationObject: base64url,
      transports: z.array(z.string().max(40)).max(10).default([]),
    }),
    clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
    authenticatorAttachment: z.string().max(40).nullish(),
  })
  .meta({ id: "PasskeyAttestation", description: "the browser's answer to the options, as JSON" });
export type PasskeyAttestation = z.output<typeof PasskeyAttestation>;

const byCode = z.strictObject({ code });
const byRecoveryCode = z.strictObject({ recoveryCode });
const byPasskey = z.strictObject({ passkey: PasskeyAssertion });
export type FactorProof = z.output<typeof byCode | typeof byRecoveryCode | typeof byPasskey>;

const ticket = z.string().min(1).max(200).meta({ description: "from the answer to the sign-in" });

export const VerifyFactor = z.union([
  byCode.extend({ ticket }),
  byRecoveryCode.extend({ ticket }),
  byPasskey.extend({ ticket }),
]);
export type VerifyFactor = z.output<typeof VerifyFactor>;

export const Reauthenticate = z.union([
  z.strictObject({
    password: oldPassword.meta({ description: "only for an account without a second factor" }),
  }),
  byCode,
  byRecoveryCode,
  byPasskey,
]);
export type Reauthenticate = z.output<typeof Reauthenticate>;

export const ConfirmTotp = byCode;

const passkeyName = z.string().trim().min(1).max(limits.passkeyName);

export const RegisterPasskey = z.strictObject({ name: passkeyName, passkey: PasskeyAttestation });
export type RegisterPasskey = z.output<typeof RegisterPasskey>;

export const RenamePasskey = z.strictObject({ name: passkeyName });
export const PasskeyParams = z.object({ id: z.string().min(1).max(2000) });
export const PasskeyOptions = z.strictObject({ ticket: ticket.optional() });
export const SignInByPasskey = z.strictObject({ passkey: PasskeyAssertion });

export const MfaRequirement = z.strictObject({
  required: z.boolean(),
  graceDays: z
    .number()
    .int()
    .min(0)
    .max(limits.mfaGraceDays)
    .default(0)
    .meta({ description: "days before members without a second factor are refused" }),
});
export type MfaRequirement = z.output<typeof MfaRequirement>;
