/** The documents of `lint` and `scan`. */
import { z } from "zod";
import { packageRules } from "../../checks/package-rules.ts";
import { secretRules } from "../../checks/secret-rules.ts";
import { adviceRules } from "../../checks/skill-advice.ts";
import { contentRules } from "../../checks/skill-rules.ts";
import { scanVerdicts } from "../../scan/report.ts";
import { LeftOutPayload } from "../skills/findings.ts";
import { count, format, integer, scanFinding, skillType, text } from "./fields.ts";

/** By command, as part of `cliPayloads`. */
export const cliContentPayloads = {
  lint: z.strictObject({
    /** No errors, and with `--strict` no warnings either. */
    ok: z.boolean(),
    skills: z.array(
      z.strictObject({
        path: text,
        format,
        type: skillType,
        name: z.string(),
        leftOut: z.array(LeftOutPayload).optional(),
      }),
    ),
    findings: z.array(
      z.strictObject({
        rule: z.enum([...contentRules, ...packageRules, ...secretRules, ...adviceRules]),
        severity: z.enum(["error", "warning"]),
        message: text,
        path: text,
        line: integer.optional(),
      }),
    ),
    summary: z.strictObject({ skills: count, errors: count, warnings: count }),
  }),
  scan: z.strictObject({
    /** Nothing suspicious or malicious, and every skill was scanned; with `--strict` no notes either. */
    ok: z.boolean(),
    /** Version of the rules. */
    ruleSet: text,
    skills: z.array(
      z.strictObject({
        path: text,
        format,
        verdict: z.enum(scanVerdicts),
        /** Reason for the verdict `failed`. */
        failure: text.optional(),
        leftOut: z.array(LeftOutPayload).optional(),
      }),
    ),
    findings: z.array(scanFinding),
    /** Numbers of skills, also by verdict. */
    summary: z.strictObject({
      skills: count,
      clean: count,
      notes: count,
      suspicious: count,
      malicious: count,
      failed: count,
    }),
  }),
} as const;
