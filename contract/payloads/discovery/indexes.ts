/** Skills of an organization for other clients. */
import { z } from "zod";
import { indexOmissions } from "../../vocabulary.ts";

export const SkillIndexPayload = z
  .object({
    url: z.string().meta({ description: "address for clients that read Agent Skills indexes" }),
    skills: z.number().int().meta({ description: "skills in the index" }),
    hasMore: z
      .boolean()
      .meta({ description: "there are further public skills, which the index has no place for" }),
    omitted: z
      .array(z.object({ slug: z.string(), reason: z.enum(indexOmissions) }))
      .meta({ description: "skills that no index can have: for their name, description or size" }),
  })
  .meta({ id: "SkillIndex" });
export type SkillIndexPayload = z.infer<typeof SkillIndexPayload>;

export const SkillIndexSettingsPayload = z
  .object({
    collection: z
      .string()
      .nullable()
      .meta({ description: "slug of the collection in the index; null: the most downloaded skills" }),
    index: SkillIndexPayload.nullable().meta({ description: "null: no skill is public" }),
  })
  .meta({ id: "SkillIndexSettings" });
export type SkillIndexSettingsPayload = z.infer<typeof SkillIndexSettingsPayload>;
