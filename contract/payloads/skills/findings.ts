/** Findings about versions and unpublished content, as they cross the wire. */
import { z } from "zod";
import { severities } from "../../checks/findings.ts";
import { leftOutReasons } from "../../package/left-out.ts";
import { contentFormats } from "../../vocabulary.ts";

export const FindingCounts = z
  .object({
    errors: z.number().int(),
    warnings: z.number().int(),
    toReview: z.number().int().meta({ description: "those that no member has marked as reviewed" }),
  })
  .meta({ id: "FindingCounts" });
export type FindingCounts = z.infer<typeof FindingCounts>;

const finding = z.object({
  rule: z.string().meta({ description: "a rule of docs/reference/skill-rules.md" }),
  severity: z.enum(severities),
  path: z.string(),
  line: z.number().int().optional(),
  message: z.string(),
});

/** A file, or a folder with a slash at the end. */
export const LeftOutPayload = z.object({ path: z.string(), reason: z.enum(leftOutReasons) });

export const FindingPayload = finding
  .extend({
    id: z.string().meta({ description: "the same in every version that has the finding" }),
    firstSeen: z.object({ version: z.number().int(), semver: z.string() }),
    reviewed: z
      .object({
        at: z.iso.datetime(),
        by: z.object({ name: z.string(), username: z.string() }).nullable().optional().meta({
          description: "for members of the organization",
        }),
        note: z.string().optional(),
      })
      .nullable(),
  })
  .meta({ id: "Finding" });
export type FindingPayload = z.infer<typeof FindingPayload>;

export const FindingsPayload = z
  .object({
    version: z.number().int(),
    semver: z.string(),
    counts: FindingCounts,
    findings: z.array(FindingPayload),
  })
  .meta({ id: "Findings" });
export type FindingsPayload = z.infer<typeof FindingsPayload>;

export const LintPayload = z
  .object({
    ok: z.boolean().meta({ description: "without errors" }),
    format: z.enum(contentFormats),
    errors: z.number().int(),
    warnings: z.number().int(),
    findings: z.array(finding),
    leftOut: z.array(LeftOutPayload).meta({ description: "what a publish leaves out of the package" }),
  })
  .meta({ id: "Lint" });
export type LintPayload = z.infer<typeof LintPayload>;
