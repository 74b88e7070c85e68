/** Changes of single files, from which a version is made on the basis of an earlier one. */
import { z } from "zod";
import { fileModes } from "../../../../contract/checks/package-rules.ts";
import { limits } from "../../../../contract/limits.ts";

const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);

export const FileChange = z
  .strictObject({
    path: z.string().min(1).max(4096),
    content: z.string().refine(isWellFormed, "must be well-formed Unicode").optional(),
    contentBase64: z.base64().optional().meta({ description: "the bytes of a file that is not a text" }),
    delete: z.literal(true).optional(),
    mode: z
      .enum(fileModes)
      .optional()
      .meta({ description: "default: that of the file it replaces, or 100644" }),
  })
  .refine(
    (change) =>
      change.delete
        ? Object.keys(change).length === 2
        : change.content === undefined || change.contentBase64 === undefined,
    "takes one of content, contentBase64 and delete",
  )
  .refine((change) => Object.keys(change).length > 1, "needs content, contentBase64, delete or mode");
export type FileChange = z.output<typeof FileChange>;

export const fileChanges = z
  .array(FileChange)
  .min(1)
  .max(limits.packageFiles)
  .refine(
    (changes) => new Set(changes.map(({ path }) => path)).size === changes.length,
    "name each path once",
  )
  .meta({ description: "changed files; all others are those of the version `base`" });
