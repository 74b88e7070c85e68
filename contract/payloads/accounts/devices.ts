/** Sign-in of a device by a code that the user confirms in a browser (RFC 8628). */
import { z } from "zod";

/** RFC 8628, section 3.2. */
export const DeviceCodePayload = z
  .object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.number().int(),
    interval: z.number().int(),
  })
  .meta({ id: "DeviceCode" });
export type DeviceCodePayload = z.infer<typeof DeviceCodePayload>;

/** RFC 8628, section 3.5 (and RFC 6749, section 5.1). */
export const DeviceTokenPayload = z
  .object({ access_token: z.string(), token_type: z.literal("Bearer"), scope: z.string().optional() })
  .meta({ id: "DeviceToken" });
export type DeviceTokenPayload = z.infer<typeof DeviceTokenPayload>;

/** A sign-in that waits for its approval. */
export const PendingDevicePayload = z
  .object({
    userCode: z.string(),
    client: z.string().meta({ description: "name of the program" }),
    machine: z
      .string()
      .nullable()
      .meta({ description: "as the program reports it; null if it reports none" }),
    network: z.string().nullable().meta({ description: "address that the request came from" }),
    requestedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().meta({ description: "of the code" }),
    grants: z
      .object({
        kind: z.literal("personal_token"),
        access: z.literal("full").meta({ description: "everything that the approving account may do" }),
        idleDays: z.number().int().meta({ description: "the token expires after so many days without use" }),
      })
      .meta({ description: "what an approval gives" }),
  })
  .meta({ id: "PendingDevice" });
export type PendingDevicePayload = z.infer<typeof PendingDevicePayload>;
