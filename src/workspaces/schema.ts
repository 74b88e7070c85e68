/** Input of the routes of personal workspaces. */
import { z } from "zod";
import { workspaceStates } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import { folderName } from "../folders/schema.ts";
import { listQuery } from "../http/request/cursor.ts";

const userId = z.string().min(1).max(64);

export const EnableWorkspaces = z.strictObject({
  name: folderName
    .optional()
    .meta({ description: "name of the folder that contains all workspaces, if it has to be created" }),
});
export type EnableWorkspaces = z.output<typeof EnableWorkspaces>;

export const RetryWorkspaces = z.strictObject({
  userId: userId.optional().meta({ description: "default: every member whose provisioning has failed" }),
});
export type RetryWorkspaces = z.output<typeof RetryWorkspaces>;

export const ReassignWorkspace = z.strictObject({
  userId: userId.meta({ description: "the former member" }),
  toUserId: userId.meta({ description: "the member whose workspace it is moved into" }),
});
export type ReassignWorkspace = z.output<typeof ReassignWorkspace>;

export const NoFields = z.strictObject({});

export const WorkspaceParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  userId,
});

export const WorkspaceQuery = z.object({ state: z.enum(workspaceStates).optional(), ...listQuery });
export type WorkspaceQuery = z.output<typeof WorkspaceQuery>;

/** Id of the last row. */
export const WorkspaceCursor = z.tuple([z.string().refine(isId)]);
