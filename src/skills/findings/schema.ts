/** Input of the routes of findings. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import { SkillParams } from "../schema.ts";

export const FindingsQuery = z.object({
  version: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "number, exact version or range; default: the current one" }),
});

export const FindingParams = SkillParams.extend({
  finding: z.string().regex(/^[0-9a-f]{16}$/, "must be the id of a finding"),
});

export const ReviewFinding = z.strictObject({
  reviewed: z.boolean(),
  note: z
    .string()
    .trim()
    .min(1)
    .max(limits.reviewNote)
    .refine((text) => !text.includes("\0") && !/\p{Surrogate}/u.test(text), "must be well-formed text")
    .optional(),
  version: FindingsQuery.shape.version,
});

export const LintContent = z
  .strictObject({
    content: z.string().optional().meta({ description: "a text with its frontmatter" }),
    uploadId: z.string().max(64).optional().meta({ description: "a stored upload, which stays" }),
    type: z.enum(skillTypes).optional(),
  })
  .refine(
    ({ content, uploadId }) => (content === undefined) !== (uploadId === undefined),
    "needs exactly one of content and uploadId",
  );
