/** Shapes of account management that cross the wire. */
import { z } from "zod";

const timestamp = z.iso.datetime().meta({ description: "ISO-8601, UTC" });

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
