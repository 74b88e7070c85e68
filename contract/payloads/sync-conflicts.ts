/** Skills that had changed on both sides of a sync. */
import { z } from "zod";
import { timestamp } from "./timestamp.ts";

const SyncConflictSide = z.object({
  semver: z.string().nullable().meta({ description: "null once the version was deleted" }),
  author: z.string().nullable(),
  at: timestamp.nullable(),
});

export const SyncConflictPayload = z
  .object({
    id: z.string(),
    skillId: z.string(),
    slug: z.string().nullable().meta({ description: "null once the skill was deleted" }),
    path: z.string(),
    winning: z.number().int().meta({ description: "the version that the repository's content became" }),
    losing: z.number().int().meta({ description: "the version that was current here" }),
    base: z
      .number()
      .int()
      .nullable()
      .meta({ description: "the version on which both sides last agreed; null if it is not known" }),
    baseSemver: z
      .string()
      .nullable()
      .meta({ description: "that version by name; null if it is not known, or was deleted" }),
    theirs: SyncConflictSide.meta({ description: "the winning version, from the repository" }),
    ours: SyncConflictSide.meta({ description: "the losing version, published here" }),
    seen: z
      .object({ by: z.string().meta({ description: "user name" }), at: timestamp })
      .nullable()
      .meta({ description: "the person who has marked it as fine as it is" }),
    diff: z.string().nullable().meta({
      description:
        "where to get what was lost: GET, the two versions compared line by line; null once the skill was deleted",
    }),
    commit: z.string(),
    author: z.string().nullable().meta({
      description: "the author's name; null where the history at hand does not have it",
    }),
    at: timestamp,
  })
  .meta({ id: "SyncConflict" });
export type SyncConflictPayload = z.infer<typeof SyncConflictPayload>;
