/** Names of objects by their ids, as they cross the wire. */
import { z } from "zod";

/** Kinds of objects whose ids other payloads have. */
export const namedKinds = ["organization", "user", "team", "role", "folder", "skill"] as const;

export const NamePayload = z
  .object({
    id: z.string(),
    kind: z.enum(namedKinds),
    name: z.string().meta({ description: "name for people; of a folder, its path" }),
    slug: z.string().optional().meta({ description: "of an organization or skill; a user's user name" }),
    tenantId: z
      .string()
      .optional()
      .meta({ description: "the organization that a team, role, folder or skill is in" }),
  })
  .meta({ id: "Name" });
export type NamePayload = z.infer<typeof NamePayload>;
