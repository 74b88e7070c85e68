import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { reservedSlugs } from "../../contract/vocabulary.ts";

/** Lower-case letters, digits and single inner hyphens; never a first path segment of the service. */
export const orgSlug = z
  .string()
  .min(limits.orgSlug.min)
  .max(limits.orgSlug.max)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case letters, digits and single hyphens between them")
  .refine((slug) => !(reservedSlugs as readonly string[]).includes(slug), "is reserved by the service");

export const orgName = z
  .string()
  .trim()
  .min(limits.orgName.min)
  .max(limits.orgName.max)
  // oxlint-disable-next-line no-control-regex -- control characters are what this refuses
  .regex(/^[^\u0000-\u001f\u007f]*$/, "must not contain control characters");

export const CreateTenant = z.strictObject({
  name: orgName,
  slug: orgSlug.optional().meta({ description: "default: made from the name" }),
});
export type CreateTenant = z.output<typeof CreateTenant>;

export const UpdateTenant = z
  .strictObject({ name: orgName.optional(), slug: orgSlug.optional() })
  .refine((fields) => Object.keys(fields).length > 0, "needs name or slug");
export type UpdateTenant = z.output<typeof UpdateTenant>;

export const TenantParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
});
