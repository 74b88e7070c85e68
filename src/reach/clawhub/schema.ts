/** Input of the ClawHub interface. Parameters that are not known are ignored, since its clients add some. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";

const org = z.string().max(64);
const slug = z.string().max(120);
const version = z.string().max(limits.semverLength);
/** The organization, for clients that have installed skills of several owners. */
const ownerHandle = z.string().max(64).optional();
const limit = z.coerce.number().int().min(1).max(limits.pageSizeMax).default(25);
const cursor = z.string().max(500).optional();

export const OrgParams = z.object({ org });
export const SkillParams = z.object({ org, slug });
export const VersionParams = z.object({ org, slug, version });

export const OwnerQuery = z.object({ ownerHandle });
export const ListQuery = z.object({ limit, cursor, sort: z.string().max(40).optional() });
export const VersionsQuery = z.object({ ownerHandle, limit, cursor });
export const FileQuery = z.object({
  ownerHandle,
  path: z.string().min(1).max(2000),
  version: version.optional(),
  tag: z.string().max(40).optional(),
});
export const DownloadQuery = z.object({
  slug,
  ownerHandle,
  version: version.optional(),
  tag: z.string().max(40).optional(),
});
export const ResolveQuery = z.object({ slug, ownerHandle, hash: z.string().regex(/^[0-9a-f]{64}$/) });
export const SearchQuery = z.object({ q: z.string().trim().max(limits.searchQuery).default(""), limit });
