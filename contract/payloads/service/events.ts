/** Changes as server-sent events: ids only, never content. */
import { z } from "zod";
import { changeTypes } from "../../dashboard/lists.ts";

/** Data of an event `change` of `GET /api/events`. */
export const ChangePayload = z.object({
  type: z.enum(changeTypes),
  id: z
    .string()
    .meta({ description: "of the skill, folder, user, team, role, invitation, token, connection…" }),
  /** Null for the caller's own account. */
  tenantId: z.string().nullable(),
  deleted: z.boolean(),
  /** Whether the caller made the change, perhaps in another window. */
  own: z.boolean(),
});
export type ChangePayload = z.infer<typeof ChangePayload>;
