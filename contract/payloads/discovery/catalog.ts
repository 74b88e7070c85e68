/** The public catalog: counts of what a search finds, and organizations with public skills. */
import { z } from "zod";
import { skillTypes } from "../../vocabulary.ts";

const count = z.number().int();

export const CatalogFacetsPayload = z
  .object({
    total: count,
    totalIsExact: z.boolean().meta({ description: "false if only the first 5,000 were counted" }),
    types: z
      .array(z.object({ value: z.enum(skillTypes), count }))
      .meta({ description: "of what the search finds with any type" }),
    tags: z.array(z.object({ value: z.string(), count })).meta({ description: "the 20 most frequent ones" }),
    organizations: z
      .array(z.object({ value: z.string().meta({ description: "slug" }), name: z.string(), count }))
      .meta({ description: "the 20 with the most skills" }),
  })
  .meta({ id: "CatalogFacets" });
export type CatalogFacetsPayload = z.infer<typeof CatalogFacetsPayload>;

export const PublicOrganizationPayload = z
  .object({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    avatarUrl: z.string().nullable(),
    publicSkills: count,
    downloads: count.meta({ description: "of its public skills together, as far as they were counted" }),
    publicSkillsIsExact: z.boolean().meta({ description: "false if only the first 10,000 were counted" }),
  })
  .meta({ id: "PublicOrganization" });
export type PublicOrganizationPayload = z.infer<typeof PublicOrganizationPayload>;
