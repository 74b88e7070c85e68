import { z } from "zod";
import { scimOutcomes, scimUserStates } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import { listQuery } from "../http/request/cursor.ts";

const id = z.string().min(1).max(64);

export const ManageTeam = z.strictObject({
  teamId: id.meta({ description: "team whose members SCIM manages from then on" }),
});
export const ManagedTeamParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  id,
});

const searched = z
  .string()
  .trim()
  .max(200)
  .refine((text) => !text.includes("\0"), "must not contain NUL")
  .optional()
  .transform((text) => (text === "" ? undefined : text));

export const ScimLogRequest = z.object({
  outcome: z.enum(scimOutcomes).optional(),
  query: searched.meta({ description: "part of the path, of the name of a user or group, or of the reason" }),
  ...listQuery,
});
export type ScimLogRequest = z.output<typeof ScimLogRequest>;

/** Id of the last entry. */
export const LogCursor = z.tuple([z.string().refine(isId)]);

export const ScimUsersRequest = z.object({
  state: z.enum(scimUserStates).optional(),
  query: searched.meta({ description: "beginning of the user name" }),
  ...listQuery,
});
export type ScimUsersRequest = z.output<typeof ScimUsersRequest>;

export const ScimGroupsRequest = z.object(listQuery);
export type ScimGroupsRequest = z.output<typeof ScimGroupsRequest>;

/** Folded name of the last user or group. */
export const NameCursor = z.tuple([z.string().min(1).max(4000)]);
