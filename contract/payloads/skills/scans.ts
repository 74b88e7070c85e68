/** Scans of versions for hidden and harmful content, as they cross the wire. */
import { z } from "zod";
import { maliciousMeasures, suspiciousMeasures } from "../../scan/policy.ts";
import { scanSeverities, scanStates, scanVerdicts } from "../../scan/report.ts";

export const ScanPolicyPayload = z
  .strictObject({
    suspicious: z.enum(suspiciousMeasures).meta({ description: "`warn` shows it to readers and installs" }),
    malicious: z.enum(maliciousMeasures).meta({
      description: "`hold` hides the version until it is released; open skills always have it",
    }),
  })
  .meta({ id: "ScanPolicy" });

const finding = z.object({
  rule: z.string().meta({ description: "a rule of docs/reference/scan.md" }),
  severity: z.enum(scanSeverities),
  message: z.string(),
  path: z.string().meta({ description: "of a file in an archive: `archive.zip!/path`" }),
  line: z.number().int().optional(),
  column: z.number().int().optional().meta({ description: "from 1" }),
  excerpt: z.string().optional().meta({
    description: "without secrets, and with hidden characters as `<U+202E>`",
  }),
});

export const ScanPayload = z
  .object({
    version: z.number().int(),
    semver: z.string(),
    state: z.enum(scanStates).meta({
      description: "`failed`: the last attempt had no result, which never counts as clean",
    }),
    verdict: z.enum(scanVerdicts).optional().meta({
      description: "the worst severity of the findings of the last complete scan",
    }),
    ruleSet: z.string().optional().meta({ description: "version of the rules that were applied" }),
    scannedAt: z.iso.datetime().optional().meta({ description: "time of the last complete scan" }),
    rules: z
      .array(
        z.object({
          rule: z.string().meta({ description: "a rule of docs/reference/scan.md" }),
          count: z.number().int().meta({ description: "number of its findings" }),
        }),
      )
      .meta({ description: "numbers of findings by rule" }),
    findings: z.array(finding).optional().meta({
      description: "the worst ones first; for callers who may update or review the skill",
    }),
  })
  .meta({ id: "Scan" });
export type ScanPayload = z.infer<typeof ScanPayload>;
