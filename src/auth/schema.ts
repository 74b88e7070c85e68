import { z } from "zod";
import { limits } from "../../contract/limits.ts";

/** The rules of new passwords do not apply to existing ones: a wrong password is only wrong. */
export const oldPassword = z
  .string()
  .min(1)
  .max(limits.password.max * 2);

export const SignIn = z.strictObject({
  email: z.string().min(1).max(limits.email),
  password: oldPassword,
});
export type SignIn = z.output<typeof SignIn>;

/**
 * Parameters of a standard request: unknown ones are ignored (RFC 6749, section 3.2), ill-typed ones count as absent.
 */
const parameter = z.string().max(300).optional().catch(undefined);

export const DeviceCodeRequest = z.looseObject({
  client_id: parameter,
  hostname: parameter.meta({ description: "name of the device, shown on the approval page" }),
  machine: parameter.meta({
    description:
      "64 hexadecimal digits, the same at each login of one machine: a login replaces the earlier one of its account",
  }),
});
export type DeviceCodeRequest = z.output<typeof DeviceCodeRequest>;

export const DeviceTokenRequest = z.looseObject({
  grant_type: parameter,
  device_code: parameter,
  client_id: parameter,
});
export type DeviceTokenRequest = z.output<typeof DeviceTokenRequest>;

export const DeviceQuery = z.object({
  user_code: z.string().min(1).max(40).meta({ description: "as the device shows it" }),
});

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
