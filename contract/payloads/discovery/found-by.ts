/** For authors: which phrases find a skill, and which skills come before it. */
import { z } from "zod";

const count = z.number().int();

export const FoundByPhrases = z
  .object({
    phrases: z
      .array(z.string())
      .meta({ description: "phrases of its own text that find it first, at most five" }),
    tried: count.meta({ description: "phrases that were tried" }),
  })
  .meta({ id: "FoundByPhrases" });
export type FoundByPhrases = z.infer<typeof FoundByPhrases>;

export const FoundByPosition = z
  .object({
    query: z.string(),
    position: count.nullable().meta({
      description: "among the skills that the caller may read, from 1; null: not among the first 50",
    }),
    before: z
      .array(
        z.object({
          publicId: z.string(),
          slug: z.string(),
          tenantSlug: z.string(),
          name: z.string(),
          description: z.string(),
        }),
      )
      .meta({ description: "skills that come before it, the first ten" }),
  })
  .meta({ id: "FoundByPosition" });
export type FoundByPosition = z.infer<typeof FoundByPosition>;
