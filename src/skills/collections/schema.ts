/** Input of the routes for collections. */
import { z } from "zod";
import { oneLineText } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { slugPattern } from "../../../contract/names/slug.ts";

const name = z
  .string()
  .trim()
  .min(1)
  .max(limits.collectionName)
  .regex(oneLineText, "must be one line without control characters");
const description = z
  .string()
  .trim()
  .max(limits.collectionDescription)
  .regex(oneLineText, "must be one line without control characters");
const slug = z
  .string()
  .max(limits.collectionSlug)
  .regex(slugPattern, "must be lower-case letters, digits and single hyphens between them");

const skills = z
  .array(z.string().min(1).max(64))
  // More than this is not even read. The limit of a collection has an error of its own.
  .max(10 * limits.skillsPerCollection)
  .refine((refs) => new Set(refs).size === refs.length, "names a skill twice")
  .meta({ description: "ids or slugs of skills of the organization, in the order of the collection" });

const isPublic = z.boolean().meta({
  description:
    "show it to anyone on the organization's page, with its public skills; not for one in a folder",
});

const requiredFor = z
  .array(z.string().min(1).max(64))
  .max(limits.teamsPerRequirement)
  .refine((ids) => new Set(ids).size === ids.length, "names a team twice")
  .meta({
    description:
      "ids of teams whose members have to install its skills, or `everyone` for all members: " +
      "`svc pull --team` installs them. Requires organization:update",
  });

export const CreateCollection = z
  .strictObject({
    name,
    slug: slug.optional().meta({ description: "default: made from the name; it never changes" }),
    description: description.default(""),
    folderId: z
      .string()
      .min(1)
      .max(64)
      .nullable()
      .default(null)
      .meta({ description: "folder whose readers may read it; null is the organization's root" }),
    public: isPublic.default(false),
    requiredFor: requiredFor.default([]),
    skills: skills.default([]),
  })
  .refine((input) => !input.public || input.folderId === null, {
    path: ["public"],
    message: "must be false for a collection in a folder",
  });
export type CreateCollection = z.output<typeof CreateCollection>;

export const UpdateCollection = z
  .strictObject({
    name: name.optional(),
    description: description.optional().meta({ description: "empty removes it" }),
    public: isPublic.optional(),
    requiredFor: requiredFor.optional(),
    skills: skills.optional(),
    revision: z
      .number()
      .int()
      .optional()
      .meta({ description: "revision that this change is based on; any other is refused with conflict" }),
  })
  .refine(({ revision: _revision, ...fields }) => Object.keys(fields).length > 0, {
    message: "needs name, description, public, requiredFor or skills",
  });
export type UpdateCollection = z.output<typeof UpdateCollection>;

export const OrderCollections = z.strictObject({
  collections: z
    .array(z.string().min(1).max(64))
    .max(limits.collectionsPerOrganization)
    .refine((refs) => new Set(refs).size === refs.length, "names a collection twice")
    .meta({ description: "ids or slugs in the new order; the others follow in their previous order" }),
});

const collection = z.string().min(1).max(64).meta({ description: "slug or id" });
export const CollectionParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  collection,
});
export const PublicCollectionParams = z.object({
  organization: z.string().min(1).max(64).meta({ description: "slug, or a previous one" }),
  collection: z.string().min(1).max(64).meta({ description: "slug" }),
});
