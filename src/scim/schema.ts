import { z } from "zod";
import { scimOutcomes } from "../../contract/payloads/scim.ts";
import { isId } from "../../storage/database.ts";
import { listQuery } from "../http/cursor.ts";

const id = z.string().min(1).max(64);

export const ManageTeam = z.strictObject({
  teamId: id.meta({ description: "team whose members SCIM manages from then on" }),
});
export const ManagedTeamParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  id,
});

export const ScimLogRequest = z.object({
  outcome: z.enum(scimOutcomes).optional(),
  query: z
    .string()
    .trim()
    .max(200)
    .refine((text) => !text.includes("\0"), "must not contain NUL")
    .optional()
    .transform((text) => (text === "" ? undefined : text))
    .meta({ description: "part of the path, of the name of a user or group, or of the reason" }),
  ...listQuery,
});
export type ScimLogRequest = z.output<typeof ScimLogRequest>;

/** Id of the last entry. */
export const LogCursor = z.tuple([z.string().refine(isId)]);
