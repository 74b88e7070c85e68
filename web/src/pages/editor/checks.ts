/** The checks of the files that are being edited, by the rules that the service applies as well. */
import { findingOf } from "../../../../contract/checks/findings.ts";
import { PackageError, collectPaths, packageLimits } from "../../../../contract/checks/package-rules.ts";
import { secretInName } from "../../../../contract/checks/secret-rules.ts";
import { adviseOn, type AdviceRule } from "../../../../contract/checks/skill-advice.ts";
import {
  faultOfName,
  readSkillText,
  type ContentRule,
  type Fault,
  type SkillText,
} from "../../../../contract/checks/skill-rules.ts";
import { limits } from "../../../../contract/limits.ts";
import { sizeText } from "../../../../contract/text/size-text.ts";
import type { SkillType } from "../../../../contract/vocabulary.ts";
import { isSingleText, rootFileOf, sizeOfFile, type Base, type WorkFile } from "./working-set.ts";

export interface Problem {
  /** Undefined for a problem of all files together. */
  path: string | undefined;
  /** From 1. */
  line: number;
  /** Errors stop publishing. */
  severity: "error" | "warning";
  message: string;
}

export interface Checked {
  files: readonly WorkFile[];
  base: Base | undefined;
  type: SkillType;
  /** Text of the root file, or why it is none. */
  text: string | Fault;
  /** Name of a new skill whose frontmatter has none. */
  name?: string;
}

/** Path of the file that describes the skill: a package's is always SKILL.md. */
export function rootPathOf({ files, base, type }: Omit<Checked, "text">): string {
  return isSingleText(files, base)
    ? files[0]!.path
    : base?.format === "markdown"
      ? rootFileOf(type)
      : "SKILL.md";
}

/** All problems, errors first. */
export function checkFiles(checked: Checked): Problem[] {
  const problems = [...checkText(checked), ...checkPaths(checked), ...checkSizes(checked)];
  return problems.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
}

function checkText({ files, base, type, text, name }: Checked): Problem[] {
  const path = rootPathOf({ files, base, type });
  if (!files.some((file) => file.path === path)) return [];
  const toProblem =
    (severity: Problem["severity"]) =>
    (fault: Fault<ContentRule | AdviceRule>): Problem => ({
      ...findingOf(severity, path, fault),
      line: fault.line ?? 1,
    });
  if (typeof text !== "string") return [toProblem("error")(text)];
  const format = isSingleText(files, base) ? "markdown" : "package";
  const read = readSkillText(text, format);
  const faults: Fault[] = [...read.faults, ...nameFaults(read, base, name)];
  const advice = adviseOn(read, { format, type, files: files.map((file) => file.path) });
  return [...faults.map(toProblem("error")), ...advice.map(toProblem("warning"))];
}

/** Faults of the name of a new skill: that of the frontmatter, or else the given one. */
function nameFaults(
  { defaults, faults, lines }: SkillText,
  base: Base | undefined,
  given: string | undefined,
): Fault[] {
  if (base !== undefined || faults.length > 0) return [];
  const name = defaults.name ?? given;
  if (name === undefined)
    return [
      {
        rule: "name_unusable",
        reason: "it has no name",
        remedy: "Add the line: `name: …`.",
        line: lines.get("name") ?? 1,
      },
    ];
  const fault = faultOfName(name, lines.get("name"));
  return fault ? [fault] : [];
}

function checkPaths({ files, base, type }: Checked): Problem[] {
  const paths = collectPaths();
  const problems: Problem[] = [];
  const note = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      problems.push({ path: error.path, line: 1, severity: "error", message: error.message });
    }
  };
  for (const { path } of files.slice(0, packageLimits.files + 1)) note(() => paths.addFile(path));
  if (!isSingleText(files, base)) note(() => paths.finish("SKILL.md"));
  for (const { path } of files) {
    const secret = secretInName(path);
    if (secret !== undefined)
      problems.push({
        path,
        line: 1,
        severity: "warning",
        message: `${path} usually holds ${secret}. Check it first.`,
      });
  }
  if (type === "rule" && base?.format === "markdown" && files.length > 1)
    problems.push({
      path: undefined,
      line: 1,
      severity: "error",
      message: "A rule is a single text. Remove the other files.",
    });
  return problems;
}

function checkSizes({ files, base }: Checked): Problem[] {
  const total = files.reduce((sum, file) => sum + sizeOfFile(file, base), 0);
  if (total <= limits.packageUncompressedBytes) return [];
  const message =
    `The files have ${sizeText(total)}, over the ${sizeText(limits.packageUncompressedBytes)} of a package. ` +
    "Leave out what the skill does not need.";
  return [{ path: undefined, line: 1, severity: "error", message }];
}
