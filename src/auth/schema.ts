import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { listQuery } from "../http/cursor.ts";
import { email, personName, username } from "../users/schema.ts";

/** Counted in characters, not in the halves that JavaScript stores the rarer ones in. */
const newPassword = z
  .string()
  .max(limits.password.max * 2)
  .refine((text) => {
    const { length } = Array.from(text);
    return length >= limits.password.min && length <= limits.password.max;
  }, `must have ${limits.password.min} to ${limits.password.max} characters`)
  .meta({ description: `${limits.password.min} to ${limits.password.max} characters` });

export const SignUp = z.strictObject({
  email,
  password: newPassword,
  name: personName,
  username,
  setupToken: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "from the set-up link; only the first account of a service needs it" }),
  invitationToken: z.string().max(200).optional().meta({
    description: "from the link of an invitation to this address, where accounts are made by invitation",
  }),
});
export type SignUp = z.output<typeof SignUp>;

/** Rules of new passwords are not asked of old ones: a wrong password is only wrong. */
const oldPassword = z
  .string()
  .min(1)
  .max(limits.password.max * 2);

export const SignIn = z.strictObject({
  email: z.string().min(1).max(limits.email),
  password: oldPassword,
});
export type SignIn = z.output<typeof SignIn>;

export const ChangePassword = z.strictObject({ currentPassword: oldPassword, newPassword });
export type ChangePassword = z.output<typeof ChangePassword>;

export const ChangeEmail = z.strictObject({ email, password: oldPassword });
export type ChangeEmail = z.output<typeof ChangeEmail>;

const linkToken = z.string().min(1).max(200).meta({ description: "from the link in the mail" });

export const ConfirmEmail = z.strictObject({ token: linkToken });
export type ConfirmEmail = z.output<typeof ConfirmEmail>;

export const ForgotPassword = z.strictObject({ email: z.string().min(1).max(limits.email) });
export type ForgotPassword = z.output<typeof ForgotPassword>;

export const ResetPassword = z.strictObject({ token: linkToken, password: newPassword });
export type ResetPassword = z.output<typeof ResetPassword>;

export const DeleteAccount = z.strictObject({ password: oldPassword });
export type DeleteAccount = z.output<typeof DeleteAccount>;

export const SessionQuery = z.object(listQuery);
export const SessionParams = z.object({ id: z.string().max(64) });

/** Parameters of a standard request: unknown ones are ignored (RFC 6749, section 3.2), ill-typed ones count as absent. */
const parameter = z.string().max(300).optional().catch(undefined);

export const DeviceCodeRequest = z.looseObject({
  client_id: parameter,
  hostname: parameter.meta({ description: "what the device calls itself; shown to whoever approves" }),
});
export type DeviceCodeRequest = z.output<typeof DeviceCodeRequest>;

export const DeviceTokenRequest = z.looseObject({
  grant_type: parameter,
  device_code: parameter,
  client_id: parameter,
});
export type DeviceTokenRequest = z.output<typeof DeviceTokenRequest>;

export const DeviceDecision = z.strictObject({
  userCode: z.string().min(1).max(40),
  approve: z.boolean(),
});
export type DeviceDecision = z.output<typeof DeviceDecision>;

export const RegisterIdentity = z.strictObject({
  publicKey: z.string().max(100).meta({ description: "the 32 bytes of an Ed25519 key in base64url" }),
  signature: z.string().min(1).max(200).meta({
    description:
      "by that key, over five lines: POST, the path, the SHA-256 of the key's bytes in hexadecimal, X-Svc-Timestamp, X-Svc-Nonce",
  }),
});
export type RegisterIdentity = z.output<typeof RegisterIdentity>;
