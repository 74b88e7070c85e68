/** Personal workspaces as they cross the wire. */
import { z } from "zod";
import { workspaceStates } from "../../vocabulary.ts";
import { timestamp } from "../timestamp.ts";

export const WorkspacePayload = z
  .object({
    userId: z.string(),
    username: z.string().optional().meta({ description: "absent when the account is gone" }),
    name: z.string().optional(),
    state: z.enum(workspaceStates),
    folderId: z.string().nullable().meta({ description: "null until the folder is made" }),
    path: z.string().nullable(),
    attempts: z.number().int().meta({ description: "how often provisioning was tried" }),
    error: z.string().optional().meta({ description: "with failed: why, in a sentence" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Workspace" });
export type WorkspacePayload = z.infer<typeof WorkspacePayload>;

export const WorkspaceSettingsPayload = z
  .object({
    enabled: z.boolean(),
    own: z
      .object({
        state: z.enum(workspaceStates),
        folderId: z.string().nullable(),
        path: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "the caller's own workspace" }),
    folder: z
      .object({ id: z.string(), name: z.string(), path: z.string() })
      .nullable()
      .optional()
      .meta({ description: "that holds all workspaces; only for who may manage them, as what follows" }),
    counts: z
      .object({
        scheduled: z.number().int(),
        provisioned: z.number().int(),
        failed: z.number().int(),
        left: z.number().int(),
        deleting: z.number().int(),
      })
      .optional()
      .meta({ description: "workspaces by state" }),
    failed: z
      .array(WorkspacePayload)
      .optional()
      .meta({ description: "the first 50; all of them are in the list" }),
  })
  .meta({ id: "WorkspaceSettings" });
export type WorkspaceSettingsPayload = z.infer<typeof WorkspaceSettingsPayload>;

export const RetriedWorkspacesPayload = z
  .object({ scheduled: z.number().int().meta({ description: "how many are tried again" }) })
  .meta({ id: "RetriedWorkspaces" });

export const RepairedWorkspacesPayload = z
  .object({ checked: z.number().int(), repaired: z.number().int() })
  .meta({ id: "RepairedWorkspaces" });

export const ReassignedWorkspacePayload = z
  .object({ folderId: z.string(), path: z.string().meta({ description: "in the other member's workspace" }) })
  .meta({ id: "ReassignedWorkspace" });
