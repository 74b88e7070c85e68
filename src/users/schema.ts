/** What may be sent as a person's names and addresses, and how it is folded before it is compared. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { reservedSlugs } from "../../contract/vocabulary.ts";

/** Names that look the same compare as the same: NFKC, without case. */
export function foldName(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}

export const username = z
  .string()
  .max(limits.username.max * 4)
  .trim()
  .overwrite(foldName)
  .min(limits.username.min)
  .max(limits.username.max)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case letters, digits and single hyphens between them")
  .refine((name) => !(reservedSlugs as readonly string[]).includes(name), "is reserved by the service");

/** A person's display name: any script, but nothing that breaks lines or turns the reading direction around. */
export const personName = z
  .string()
  .trim()
  .min(1)
  .max(limits.personName)
  .regex(/^[^\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u, "must not contain control characters");

/** Deliberately wide: whether an address works is known only by writing to it. */
export const email = z
  .string()
  .max(limits.email)
  .trim()
  .normalize("NFKC")
  .max(limits.email)
  .regex(/^[^\s\p{C}@<>"(),:;\\]+@[^\s\p{C}@<>"(),:;\\]+$/u, "is not an e-mail address");

export const UpdateProfile = z
  .strictObject({ name: personName.optional(), username: username.optional() })
  .refine((fields) => Object.keys(fields).length > 0, "needs name or username");
export type UpdateProfile = z.output<typeof UpdateProfile>;

/** Pages by number, since the log is read from its newest end and is kept for 90 days. */
export const AuditLogQuery = z.object({
  page: z.coerce.number().int().min(1).max(10_000).default(1).meta({ description: "from 1" }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.pageSizeMax)
    .default(limits.pageSizeDefault)
    .meta({ description: "entries per page" }),
});
export type AuditLogQuery = z.output<typeof AuditLogQuery>;

export const AuditEntryPayload = z
  .object({
    id: z.string(),
    action: z.string(),
    actor: z.object({ type: z.string(), id: z.string().nullable(), name: z.string() }),
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
  .object({ entries: z.array(AuditEntryPayload), total: z.number().int(), page: z.number().int() })
  .meta({ id: "AuditLog" });
export type AuditLogPayload = z.infer<typeof AuditLogPayload>;
