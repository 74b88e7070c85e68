/** Rules of `svc lint` for files of a skill that are in memory. */
import { createHash } from "node:crypto";
import { findingOf, type Finding } from "../../../contract/checks/findings.ts";
import { lineAt, secretInName, secretReason, secretsInText } from "../../../contract/checks/secret-rules.ts";
import { adviseOn } from "../../../contract/checks/skill-advice.ts";
import {
  faultOfName,
  readSkillText,
  type SkillText,
  tooLargeText,
} from "../../../contract/checks/skill-rules.ts";
import { limits } from "../../../contract/limits.ts";
import { adviseOnPaths } from "../../../contract/package/portable-paths.ts";
import { readUtf8 } from "../../../contract/text/text-encoding.ts";
import type { ContentFormat, SkillType } from "../../../contract/vocabulary.ts";
/** A finding, and the part of it that does not change with the rest of the file. */
export type UnnamedFinding = Finding & { subject: string };

export interface LintedFile {
  path: string;
  data: Uint8Array;
  /** The root file as it reads, if it was read before. */
  text?: SkillText;
}

export interface FilesToLint {
  files: readonly LintedFile[];
  /** Path of the root file. */
  root: string;
  format: ContentFormat;
  type: SkillType;
  /** Paths of all files of the skill. */
  paths: readonly string[];
}

/** A file with NUL in its first bytes is not searched for secrets. */
const sniffedBytes = 64 * 1024;
/** Rules whose messages have a number that changes with every edit. */
const countingRules = [
  "body_too_long",
  "body_too_many_tokens",
  "description_long",
  "description_missing",
  "description_too_long",
  "frontmatter_missing",
  "too_many_tags",
];

/** Findings in the content of files. */
export function lintInMemory({ files, ...around }: FilesToLint): UnnamedFinding[] {
  return files.flatMap(({ path, data, text }) => {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const secrets = secretInName(path) === undefined ? secretTexts(path, bytes) : [];
    return path === around.root ? [...secrets, ...lintRoot(path, bytes, text, around)] : secrets;
  });
}

/** Finding about the name of a file. */
export function lintName(path: string): UnnamedFinding | undefined {
  const what = secretInName(path);
  if (what === undefined) return undefined;
  const rule = "secret_file" as const;
  return named(findingOf("error", path, { rule, reason: secretReason({ rule, path, what }) }));
}

/** Findings about paths that not every system can store. */
export function lintPaths(paths: readonly string[]): UnnamedFinding[] {
  return adviseOnPaths(paths).map(({ path, ...fault }) => named(findingOf("warning", path, fault)));
}

function lintRoot(
  path: string,
  data: Buffer,
  known: SkillText | undefined,
  { format, type, paths }: Omit<FilesToLint, "files">,
): UnnamedFinding[] {
  if (format === "package" && data.length > limits.textContentBytes)
    return [named(findingOf("error", path, tooLargeText(data.length)))];
  const read = known ? { text: "" } : readUtf8(data);
  if ("fault" in read) return [named(findingOf("error", path, read.fault))];
  const text = known ?? readSkillText(read.text, format);
  const { name } = text.defaults;
  const unusable = name === undefined ? undefined : faultOfName(name, text.lines.get("name"));
  const faults = unusable === undefined ? text.faults : [...text.faults, unusable];
  const maxLinks = limits.findingsPerVersion;
  const advice = adviseOn(text, { format, type, files: paths, maxLinks });
  return [
    ...faults.map((fault) => named(findingOf("error", path, fault))),
    ...advice.map((fault) => named(findingOf("warning", path, fault))),
  ];
}

const named = (finding: Finding): UnnamedFinding => ({
  ...finding,
  subject: countingRules.includes(finding.rule) ? "" : finding.message,
});

/** Another secret in the same place is another finding, so that no review of the previous applies to it. */
function secretTexts(path: string, data: Buffer): UnnamedFinding[] {
  if (data.subarray(0, sniffedBytes).includes(0)) return [];
  const text = data.toString("latin1");
  const rule = "secret_text" as const;
  return secretsInText(text, limits.findingsPerVersion).map(({ what, offset, length }) => ({
    ...findingOf("error", path, {
      rule,
      reason: secretReason({ rule, path, what }),
      line: lineAt(text, offset),
    }),
    subject: createHash("sha256")
      .update(text.slice(offset, offset + length))
      .digest("hex"),
  }));
}
