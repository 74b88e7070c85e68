/** The audit log as it crosses the wire. */
import { z } from "zod";
import { eventNames } from "../../events/event-names.ts";

export const AuditEntryPayload = z
  .object({
    id: z.string(),
    action: z.enum(eventNames).meta({ description: "new ones may come" }),
    actor: z.object({
      type: z.enum(["user", "organization", "anonymous", "system"]).meta({
        description: "organization: one of its own tokens; system: the service itself, as in a scheduled job",
      }),
      id: z
        .string()
        .nullable()
        .meta({ description: "id of user, token or anonymous identity; null for the others" }),
      name: z.string().meta({ description: "user name or token name, as it was then" }),
    }),
    resourceType: z.string(),
    resourceId: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    ip: z
      .string()
      .optional()
      .meta({ description: "HMAC-SHA256 of the caller's address; the address itself is not kept" }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntryPayload = z.infer<typeof AuditEntryPayload>;

export const AuditLogPayload = z
  .object({
    entries: z.array(AuditEntryPayload),
    total: z.number().int().meta({ description: "entries that match, counted up to 10,000" }),
    totalIsExact: z.boolean().meta({ description: "false where there are more than `total`" }),
    page: z.number().int(),
  })
  .meta({ id: "AuditLog" });
export type AuditLogPayload = z.infer<typeof AuditLogPayload>;

export const AuditForwardingPayload = z
  .object({
    url: z.string(),
    since: z.iso.datetime().meta({ description: "entries from then on are sent" }),
    state: z.enum(["working", "failing"]),
    deliveredAt: z.iso.datetime().nullable().meta({ description: "time of the last delivery" }),
    waiting: z.number().int().meta({ description: "entries that wait, counted up to 10,000" }),
    oldestAt: z.iso.datetime().nullable().meta({ description: "time of the oldest entry that waits" }),
    error: z.string().nullable().meta({ description: "why the last attempt failed" }),
    nextAttemptAt: z.iso.datetime().nullable(),
  })
  .meta({ id: "AuditForwarding" });
export type AuditForwardingPayload = z.infer<typeof AuditForwardingPayload>;

export const AuditForwardingSettingPayload = z
  .object({
    forwarding: AuditForwardingPayload.nullable().meta({ description: "null if the log is not sent" }),
    secret: z
      .string()
      .nullable()
      .meta({ description: "secret by which messages are signed; only in the response that creates it" }),
  })
  .meta({ id: "AuditForwardingSetting" });
export type AuditForwardingSettingPayload = z.infer<typeof AuditForwardingSettingPayload>;
