/** Renames of skills, and the reserved slugs of an organization. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";
import { SkillPayload } from "./skills.ts";

export const RenamedSkillPayload = z
  .object({
    skill: SkillPayload,
    from: z.string().meta({ description: "the slug that it had" }),
    renamed: z.boolean().meta({ description: "false if it has the slug already" }),
  })
  .meta({ id: "RenamedSkill" });
export type RenamedSkillPayload = z.infer<typeof RenamedSkillPayload>;

export const ReservedSlugPayload = z
  .object({
    id: z.string(),
    slug: z.string(),
    reason: z.enum(["renamed", "deleted"]).meta({ description: "what happened to the skill that had it" }),
    since: timestamp,
    until: timestamp.optional().meta({ description: "end of the reservation of a deleted skill's slug" }),
    skill: z
      .object({ id: z.string(), publicId: z.string(), slug: z.string(), name: z.string() })
      .optional()
      .meta({ description: "the renamed skill to which it leads" }),
  })
  .meta({ id: "ReservedSlug" });
export type ReservedSlugPayload = z.infer<typeof ReservedSlugPayload>;
