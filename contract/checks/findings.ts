/** Findings about the content of a skill: violations of its rules, as the client and the service report them. */
import type { PackageRule } from "./package-rules.ts";
import type { SecretRule } from "./secret-rules.ts";
import type { AdviceRule } from "./skill-advice.ts";
import { type ContentRule, type Fault, sentenceOf } from "./skill-rules.ts";

/** `error`: a reason not to publish the skill; `warning`: some tools may not load it as intended. */
export const severities = ["error", "warning"] as const;
export type Severity = (typeof severities)[number];

export interface Finding {
  rule: ContentRule | AdviceRule | PackageRule | SecretRule;
  severity: Severity;
  message: string;
  /** With `/`: relative to the skill, or to the path that a command was given. */
  path: string;
  /** Line number, from 1. */
  line?: number;
}

export function findingOf(
  severity: Severity,
  path: string,
  fault: Fault<ContentRule | AdviceRule | SecretRule>,
): Finding {
  const { rule, line } = fault;
  return {
    rule,
    severity,
    message: sentenceOf(fault),
    path,
    line,
  };
}
