/** Collections: named, ordered lists of an organization's skills. */
import { z } from "zod";
import { collectionAudiences } from "../../vocabulary.ts";
import { timestamp } from "../timestamp.ts";
import { CatalogItem, SkillPayload } from "./skills.ts";

const count = z.number().int();

export const CollectionPayload = z
  .object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    folderId: z
      .string()
      .nullable()
      .meta({ description: "folder whose readers may read it; null is the organization's root" }),
    public: z
      .boolean()
      .meta({ description: "shown to anyone on the organization's page, with its public skills" }),
    requiredFor: z.array(z.string()).meta({
      description: "ids of teams whose members have to install its skills, or `everyone` for all members",
    }),
    skillCount: count.meta({ description: "skills in it that the caller may read" }),
    canUpdate: z.boolean().meta({ description: "whether the caller may change and delete it" }),
    revision: count,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Collection" });
export type CollectionPayload = z.infer<typeof CollectionPayload>;

export const CollectionSkill = SkillPayload.extend({
  hiddenFrom: z.enum(collectionAudiences).optional().meta({
    description:
      "for those who may change the collection: readers of it who may not read the skill, for whom it is left out",
  }),
}).meta({ id: "CollectionSkill" });
export type CollectionSkill = z.infer<typeof CollectionSkill>;

export const CollectionDetailPayload = CollectionPayload.extend({
  skills: z
    .array(CollectionSkill)
    .meta({ description: "in the order of the collection, those that the caller may read" }),
}).meta({ id: "CollectionDetail" });
export type CollectionDetailPayload = z.infer<typeof CollectionDetailPayload>;

export const PublicCollectionPayload = z
  .object({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    skillCount: count.meta({ description: "public skills in it" }),
    skills: z
      .array(CatalogItem)
      .meta({ description: "in the order of the collection; the first 6 in a list" }),
  })
  .meta({ id: "PublicCollection" });
export type PublicCollectionPayload = z.infer<typeof PublicCollectionPayload>;

export const RequiredCollectionPayload = z
  .object({
    tenantSlug: z.string().meta({ description: "slug of its organization" }),
    slug: z.string(),
    name: z.string(),
    skills: z
      .array(
        SkillPayload.pick({ id: true, publicId: true, slug: true, tenantSlug: true, name: true, type: true }),
      )
      .meta({ description: "in the order of the collection, those that the caller may read" }),
  })
  .meta({ id: "RequiredCollection" });
export type RequiredCollectionPayload = z.infer<typeof RequiredCollectionPayload>;
