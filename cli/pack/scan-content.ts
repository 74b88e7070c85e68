/** Scans skills on this machine for hidden and harmful content, by the rules of the service. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { compareUtf8, packageLimits } from "../../contract/checks/package-rules.ts";
import { limits } from "../../contract/limits.ts";
import type { LeftOut } from "../../contract/package/left-out.ts";
import type { Inflate } from "../../contract/scan/archive.ts";
import type { ScanFinding, ScanReport, ScanVerdict } from "../../contract/scan/report.ts";
import { ruleSetVersion } from "../../contract/scan/rules/index.ts";
import { openScan, scanSkill } from "../../contract/scan/scan.ts";
import { sizeText } from "../../contract/text/size-text.ts";
import type { ContentFormat } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { invalidArgument, isSystemError } from "../errors.ts";
import { walkPackage } from "./folder.ts";
import { findSkills, inFolder, linkFault, slashed } from "./skill-folders.ts";
import { unreadable } from "./source.ts";

export interface ScannedSkill {
  path: string;
  format: ContentFormat;
  verdict: ScanVerdict;
  failure?: string;
  /** Files and folders that `publish` leaves out of a package, and that are not scanned. */
  leftOut?: LeftOut[];
}

export interface LocalScan {
  ruleSet: string;
  skills: ScannedSkill[];
  findings: ScanFinding[];
}

export const inflate: Inflate = (data, form, maxBytes) => {
  try {
    return (form === "raw" ? inflateRawSync : gunzipSync)(data, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
};

/** A file, a folder with a SKILL.md, or all skills below a folder. Throws for unreadable paths. */
export async function scanPath(context: Context, path: string): Promise<LocalScan> {
  const full = resolve(context.cwd, path);
  const scan: LocalScan = { ruleSet: ruleSetVersion, skills: [], findings: [] };
  try {
    const info = await stat(full);
    if (info.isFile()) await scanFile(scan, full, path);
    else if (!info.isDirectory())
      throw invalidArgument("<path>", `${path} is neither a file nor a folder.`, { kind: "path", ref: path });
    else {
      const below = (await findSkills(full, path)) ?? [];
      if (below.length === 0) await scanFolder(context, scan, full, path);
      for (const found of below) {
        const at = resolve(context.cwd, found);
        const fault = await linkFault(at, found);
        if (fault) addFailure(scan, found, "markdown", fault.message);
        else if ((await stat(at)).isFile()) await scanFile(scan, at, found);
        else await scanFolder(context, scan, at, found);
      }
    }
  } catch (error) {
    throw isSystemError(error) ? unreadable(path, error) : error;
  }
  return scan;
}

async function scanFile(scan: LocalScan, full: string, path: string): Promise<void> {
  const { size } = await stat(full);
  if (size > packageLimits.uncompressedBytes)
    return addFailure(
      scan,
      path,
      "markdown",
      `The file has ${sizeText(size)}, over the ${sizeText(packageLimits.uncompressedBytes)} of a skill.`,
    );
  const name = basename(full);
  // A text skill may have any name.
  const isText = /\.(?:md|mdc|markdown)$/i.test(name) && !/^RULE\.md$/i.test(name);
  const report = scanSkill([{ path: isText ? "SKILL.md" : name, data: await readFile(full) }], { inflate });
  const shown = slashed(path);
  addReport(scan, report, { path: shown, format: "markdown" }, (file) =>
    file.includes("!/") ? shown + file.slice(file.indexOf("!/")) : shown,
  );
}

async function scanFolder(context: Context, scan: LocalScan, full: string, path: string): Promise<void> {
  const shown = slashed(path);
  const faults: string[] = [];
  const { files, leftOut } = await walkPackage(full, context.platform, ({ message }) => faults.push(message));
  if (faults.length > 0) return addFailure(scan, path, "package", faults[0]!);
  const content = openScan({ inflate });
  for (const { path: file, source, mode } of files.toSorted((a, b) => compareUtf8(a.path, b.path)))
    content.add({ path: file, data: await readFile(source), isExecutable: mode === "100755" });
  const skill = { path: shown, format: "package" as const, leftOut: leftOut.slice(0, limits.listedLeftOut) };
  addReport(scan, content.finish(), skill, (file) => inFolder(shown, file));
}

function addFailure(scan: LocalScan, path: string, format: ContentFormat, failure: string): void {
  scan.skills.push({ path: slashed(path), format, verdict: "failed", failure });
}

function addReport(
  scan: LocalScan,
  { verdict, failure, findings }: ScanReport,
  skill: Omit<ScannedSkill, "verdict" | "failure">,
  shownPath: (file: string) => string,
): void {
  scan.skills.push({ ...skill, verdict, failure });
  for (const finding of findings) scan.findings.push({ ...finding, path: shownPath(finding.path) });
}
