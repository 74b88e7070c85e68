/** Checks skills by the service's rules before they are published, and reports every violation, not only the first. */
import { type Stats } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { packageLimits } from "../../contract/checks/package-rules.ts";
import { limits } from "../../contract/limits.ts";
import { adviseOnPaths } from "../../contract/package/portable-paths.ts";
import type { SkillType } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { CliError, invalidArgument, isSystemError } from "../errors.ts";
import { withTemporaryFolder } from "../state/state.ts";
import { type LintReport, type LintedSkill, addFinding, addSecrets, reportPackageError } from "./findings.ts";
import { type PackageFile, walkPackage } from "./folder.ts";
import { secretsInContent, secretsInFiles } from "./secrets.ts";
import { inFolder, findSkills, isRuleFile, linkFault, rootFile, slashed } from "./skill-folders.ts";
import { nameOfFile, unreadable } from "./source.ts";
import { isToolRule, readableRule } from "./tool-file.ts";

/** A file, a folder with a SKILL.md, or all skills below a folder. Throws for unreadable paths. */
export async function lintPath(
  context: Context,
  path: string,
  { type, allowSecrets }: { type: SkillType | undefined; allowSecrets: boolean },
): Promise<LintReport> {
  const full = resolve(context.cwd, path);
  const report: LintReport = { skills: [], findings: [], allowSecrets };
  let info: Stats;
  try {
    info = await stat(full);
    if (info.isFile()) await lintFile(report, full, path, info, type);
    else if (!info.isDirectory())
      throw invalidArgument("<path>", `${path} is neither a file nor a folder.`, { kind: "path", ref: path });
    else {
      const below = (await findSkills(full, path)) ?? [];
      if (below.length === 0) await lintFolder(context, report, full, path, type);
      for (const found of below) {
        const at = resolve(context.cwd, found);
        if (isRuleFile(found) || (await stat(at)).isFile()) await lintFound(report, at, found, type);
        else await lintFolder(context, report, at, found, type);
      }
    }
  } catch (error) {
    throw isSystemError(error) ? unreadable(path, error) : error;
  }
  return report;
}

/** A RULE.md in a folder, or the SKILL.md of a repository's root. */
async function lintFound(
  report: LintReport,
  full: string,
  path: string,
  type: SkillType | undefined,
): Promise<void> {
  const fault = await linkFault(full, path);
  if (fault === undefined) return lintFile(report, full, path, await stat(full), type);
  const name = nameOfFile(full);
  report.skills.push({
    path: slashed(path),
    format: "markdown",
    type: type ?? (isRuleFile(full) ? "rule" : "skill"),
    name,
  });
  reportPackageError(report, slashed(path), fault);
}

async function lintFile(
  report: LintReport,
  full: string,
  path: string,
  info: Stats,
  given: SkillType | undefined,
): Promise<void> {
  const { adviseOn, faultOfName, readSkillText } = await contentRules();
  const shown = slashed(path);
  const text = await readOrReport(report, full, shown, info.size, limits.textFileBytes);
  const isRule = isRuleFile(full) || (text !== undefined && isToolRule(full, text));
  const type = given ?? (isRule ? "rule" : "skill");
  const skill: LintedSkill = { path: shown, format: "markdown", type, name: nameOfFile(full) };
  report.skills.push(skill);
  if (text === undefined) return;
  addSecrets(report, secretsInContent(basename(full), text), () => shown);
  const read = readSkillText(isRule ? await readableRule(text) : text, "markdown");
  skill.name = read.defaults.name ?? skill.name;
  const unusable = faultOfName(skill.name, read.lines.get("name"));
  const errors = unusable === undefined ? read.faults : [...read.faults, unusable];
  for (const fault of errors) addFinding(report, "error", shown, fault);
  for (const advice of adviseOn(read, { format: skill.format, type }))
    addFinding(report, "warning", shown, advice);
}

/** Loaded only where content is read, since YAML takes long to load. */
async function contentRules() {
  const [advice, rules, encoding] = await Promise.all([
    import("../../contract/checks/skill-advice.ts"),
    import("../../contract/checks/skill-rules.ts"),
    import("../../contract/text/text-encoding.ts"),
  ]);
  return { ...advice, ...rules, ...encoding };
}

async function lintFolder(
  context: Context,
  report: LintReport,
  full: string,
  path: string,
  given: SkillType | undefined,
): Promise<void> {
  const { adviseOn, faultOfName, readSkillText } = await contentRules();
  const shown = slashed(path);
  const folder = basename(await realpath(full));
  const type = given ?? "skill";
  const skill: LintedSkill = { path: shown, format: "package", type, name: folder };
  report.skills.push(skill);
  const before = report.findings.length;
  const { files, leftOut } = await walkPackage(full, context.platform, (error) =>
    reportPackageError(report, shown, error),
  );
  skill.leftOut = leftOut.slice(0, limits.listedLeftOut);
  const root = files.find((file) => file.path === rootFile);
  const rootPath = inFolder(shown, rootFile);
  const text =
    root === undefined
      ? undefined
      : await readOrReport(report, root.source, rootPath, root.size, limits.textContentBytes);
  if (text !== undefined) {
    const read = readSkillText(text, "package");
    skill.name = read.defaults.name ?? skill.name;
    const unusable = faultOfName(skill.name, read.lines.get("name"));
    const around = { format: skill.format, type, folder, files: files.map((file) => file.path) };
    for (const fault of read.faults) addFinding(report, "error", rootPath, fault);
    if (unusable !== undefined) addFinding(report, "error", rootPath, unusable);
    for (const advice of adviseOn(read, around)) addFinding(report, "warning", rootPath, advice);
  }
  for (const { path: file, ...advice } of adviseOnPaths(files.map((one) => one.path)))
    addFinding(report, "warning", inFolder(shown, file), advice);
  addSecrets(report, await secretsInFiles(files), (file) => inFolder(shown, file));
  const isRefused = report.findings.slice(before).some(({ severity }) => severity === "error");
  if (!isRefused) await tryToPack(context, report, shown, files);
}

/** Only a package near the limit can exceed the limit of a zip. */
async function tryToPack(
  context: Context,
  report: LintReport,
  shown: string,
  files: readonly PackageFile[],
): Promise<void> {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (bytes < packageLimits.compressedBytes * 0.9) return;
  const { writeZip } = await import("./zip.ts");
  await withTemporaryFolder(context, async (folder) => {
    try {
      await writeZip(files, join(folder, "package.zip"));
    } catch (error) {
      const rule = error instanceof CliError ? error.details?.["rule"] : undefined;
      if (rule !== "too_large_compressed") throw error;
      report.findings.push({ rule, severity: "error", message: (error as CliError).message, path: shown });
    }
  });
}

/** The text of a file; undefined, with a finding, if it is too large or not text. */
async function readOrReport(
  report: LintReport,
  full: string,
  shown: string,
  size: number,
  maxBytes: number,
): Promise<string | undefined> {
  const { readUtf8, tooLargeText } = await contentRules();
  if (size > maxBytes) {
    addFinding(report, "error", shown, tooLargeText(size));
    return undefined;
  }
  const read = readUtf8(await readFile(full));
  if ("text" in read) return read.text;
  addFinding(report, "error", shown, read.fault);
  return undefined;
}
