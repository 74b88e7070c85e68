/** Input of the indexes and direct addresses for other clients. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";

const org = z.string().max(200);
const slug = z.string().max(200);

export const OrganizationAddress = z.object({ org });
export const SkillAddress = z.object({ org, slug });
export const VersionAddress = z.object({ org, slug, version: z.string().max(limits.semverLength) });
export const IndexedFileAddress = z.object({
  org: org.optional(),
  slug: slug.optional(),
  name: slug,
  path: z.string().max(2000),
});
