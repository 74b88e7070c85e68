/** Input of the routes for downloads and installs. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { installScopes, targets } from "../../../contract/vocabulary.ts";
import { listQuery } from "../../http/request/cursor.ts";

export const AnalyticsQuery = z.object({ days: z.coerce.number().int().min(1).max(365).default(30) });
export const TenantAnalyticsQuery = AnalyticsQuery.extend({
  limit: z.coerce.number().int().min(1).max(100).default(10).meta({ description: "skills in `top`" }),
});

/** Location of an install. The skill and the user are those of the request. */
const installPlace = {
  platform: z.enum(targets),
  scope: z.enum(installScopes),
  machine: z
    .string()
    .max(limits.machineId)
    .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters")
    .meta({ description: "an id that the client has generated" }),
};
export const InstallPlace = z.object(installPlace);
export type InstallPlace = z.output<typeof InstallPlace>;
export const RecordInstall = z.strictObject({
  ...installPlace,
  version: z
    .union([z.int().min(1), z.string().min(1).max(limits.semverLength)])
    .meta({ description: "what is installed: a version's number, or its exact semver" }),
  range: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "the pin by which it is updated: latest, a number, an exact version or a range" }),
});
export type RecordInstall = z.output<typeof RecordInstall>;
export const RemindOutdated = z.strictObject({
  dryRun: z.boolean().default(false).meta({ description: "true: count only" }),
});
export const ListInstalls = z.object(listQuery);
export type ListInstalls = z.output<typeof ListInstalls>;
