/** The findings of `svc lint`, and how faults of all kinds become such. */
import type { PackageError, PackageRule } from "../../contract/package-rules.ts";
import type { SecretFinding, SecretRule } from "../../contract/secret-rules.ts";
import type { AdviceRule, ContentRule, Fault } from "../../contract/skill-rules.ts";
import type { ContentFormat, SkillType } from "../../contract/vocabulary.ts";
import { secretReason } from "./secrets.ts";
import { inFolder } from "./skill-folders.ts";

export interface Finding {
  rule: ContentRule | AdviceRule | PackageRule | SecretRule;
  /** `error`: the service refuses it. */
  severity: "error" | "warning";
  message: string;
  /** Path relative to the given one, with `/`. */
  path: string;
  /** Line number, from 1. */
  line?: number;
}

export interface LintedSkill {
  path: string;
  format: ContentFormat;
  type: SkillType;
  /** The name under which `publish` would publish it. */
  name: string;
}

export interface LintReport {
  skills: LintedSkill[];
  findings: Finding[];
  /** Secrets are not reported. */
  allowSecrets: boolean;
}

/** `shownPath`: the path in a report of a file of the skill. */
export function addSecrets(
  report: LintReport,
  secrets: readonly SecretFinding[],
  shownPath: (file: string) => string,
): void {
  if (report.allowSecrets) return;
  for (const secret of secrets) {
    const { rule, path, line } = secret;
    const fault = { rule, reason: `${secretReason(secret)}: remove it, or use --allow-secret-files` };
    addFinding(report, "error", shownPath(path), line === undefined ? fault : { ...fault, line });
  }
}

export function addFinding(
  { findings }: LintReport,
  severity: Finding["severity"],
  path: string,
  { rule, reason, line }: Fault<ContentRule | AdviceRule | SecretRule>,
): void {
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  findings.push({ rule, severity, message, path, ...(line === undefined ? {} : { line }) });
}

export function reportPackageError(
  { findings }: LintReport,
  folder: string,
  { rule, message, path }: PackageError,
): void {
  findings.push({
    rule,
    severity: "error",
    message,
    path: path === undefined || path === "" ? folder : inFolder(folder, path),
  });
}
