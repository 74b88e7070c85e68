import { z } from "zod";
import { ownerRole } from "../../access/permissions.ts";

export const AutoJoin = z.strictObject({
  enabled: z.boolean(),
  role: z
    .string()
    .min(1)
    .max(64)
    .refine((role) => role !== ownerRole, "can't be owner: owners are appointed by owners")
    .default("member")
    .meta({ description: "role of those who join: admin, member, viewer, or the id of a custom role" }),
});
export type AutoJoin = z.output<typeof AutoJoin>;
