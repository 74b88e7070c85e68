/** The parameters of a log, the same for an organization's and a user's own. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";

const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .transform((text) => new Date(text))
  .optional();

const filters = {
  action: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: "actions of entries or groups such as `skill.*`, separated by commas" }),
  actor: z.string().min(1).max(100).optional().meta({ description: "user id, token id, or user name" }),
  from: time.meta({ description: "ISO-8601, included; a date alone is its midnight in UTC" }),
  to: time.meta({ description: "ISO-8601, excluded; a date alone is its midnight in UTC" }),
  resource_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "id of the skill, folder, token, … that an entry is about" }),
};

/** Pages by number, since the log is read from its newest end and is kept for 90 days. */
export const AuditLogQuery = z.object({
  ...filters,
  page: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.auditPagedEntries)
    .default(1)
    .meta({ description: "from 1" }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.pageSizeMax)
    .default(limits.pageSizeDefault)
    .meta({ description: "entries per page" }),
});
export type AuditLogQuery = z.output<typeof AuditLogQuery>;

export const AuditExportQuery = z.object({
  ...filters,
  format: z.enum(["csv", "json"]).default("csv"),
});
export type AuditExportQuery = z.output<typeof AuditExportQuery>;

/** The common filters. */
export type AuditFilters = Pick<AuditLogQuery, keyof typeof filters>;
