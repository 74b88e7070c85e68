import { z } from "zod";
import { oneLineText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { folderLevels, principalTypes } from "../../contract/vocabulary.ts";
import { listQuery } from "../http/request/cursor.ts";

/** Letters in any script, digits and punctuation, without slashes, backslashes and control characters. */
const folderName = z
  .string()
  .trim()
  .min(1)
  .max(limits.folderName)
  .regex(/^[^/\\]*$/, "must not contain slashes")
  .regex(oneLineText, "must not contain control characters");

const folderPath = z
  .string()
  .trim()
  .max(limits.folderPath)
  .meta({ description: "names or slugs, separated by slashes" });

const parentId = z
  .string()
  .min(1)
  .max(64)
  .nullable()
  .meta({ description: "null is the organization's root" });

export const CreateFolder = z.union([
  z.strictObject({
    path: folderPath,
    parents: z.boolean().optional().meta({ description: "also create the missing folders around it" }),
  }),
  z.strictObject({ name: folderName, parentId }),
]);
export type CreateFolder = z.output<typeof CreateFolder>;

const dryRun = z
  .boolean()
  .optional()
  .meta({ description: "changes nothing, and returns the response that the change would have" });

export const UpdateFolder = z
  .strictObject({ name: folderName.optional(), parentId: parentId.optional(), dryRun })
  .refine(({ name, parentId: to }) => name !== undefined || to !== undefined, "needs name or parentId");
export type UpdateFolder = z.output<typeof UpdateFolder>;

/** The query parameters of a list of folders. Its pages are larger than others, since trees are read as a whole. */
const folderPageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.foldersPageSize)
    .default(limits.foldersPageSize)
    .meta({ description: "items per page" }),
  cursor: listQuery.cursor,
};

export const FoldersQuery = z.object({
  parent_id: z
    .string()
    .max(64)
    .optional()
    .meta({ description: "only the folders directly in this one; `root` for those at the root" }),
  ...folderPageQuery,
});

export const TeamFoldersQuery = z.object(folderPageQuery);

export const FolderParams = z.object({
  folder: z.string().min(1).max(64).meta({ description: "the folder's id" }),
});

const Grant = z.strictObject({
  principal: z.strictObject({ type: z.enum(principalTypes), id: z.string().min(1).max(64) }),
  level: z.enum(folderLevels),
});

const plannedAccess = {
  restricted: z.boolean(),
  // More than this is not even read. The limit of a folder has an error of its own.
  grants: z
    .array(Grant)
    .max(10 * limits.grantsPerFolder)
    .refine(
      (grants) =>
        new Set(grants.map(({ principal }) => `${principal.type}:${principal.id}`)).size === grants.length,
      "names a principal twice",
    ),
};

/** A restriction and grants that a folder does not have yet. */
export const PlanFolderAccess = z.strictObject(plannedAccess);
export type PlanFolderAccess = z.output<typeof PlanFolderAccess>;

export const UpdateFolderAccess = z.strictObject({
  ...plannedAccess,
  revision: z.number().int().optional().meta({
    description: "revision that this change is based on; any other is refused with conflict",
  }),
  dryRun,
});
export type UpdateFolderAccess = z.output<typeof UpdateFolderAccess>;

/** One folder's name within a path. */
export { folderName };
