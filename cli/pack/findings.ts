/** The findings of `svc lint`, and how faults of all kinds become such. */
import { type Finding, findingOf } from "../../contract/checks/findings.ts";
import type { PackageError } from "../../contract/checks/package-rules.ts";
import { type SecretFinding, type SecretRule, secretReason } from "../../contract/checks/secret-rules.ts";
import type { AdviceRule } from "../../contract/checks/skill-advice.ts";
import type { ContentRule, Fault } from "../../contract/checks/skill-rules.ts";
import type { LeftOut } from "../../contract/package/left-out.ts";
import type { ContentFormat, SkillType } from "../../contract/vocabulary.ts";
import { inFolder } from "./skill-folders.ts";

export type { Finding };

export interface LintedSkill {
  path: string;
  format: ContentFormat;
  type: SkillType;
  /** The name under which `publish` would publish it. */
  name: string;
  /** Files and folders that `publish` leaves out of a package. */
  leftOut?: LeftOut[];
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
  fault: Fault<ContentRule | AdviceRule | SecretRule>,
): void {
  findings.push(findingOf(severity, path, fault));
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
