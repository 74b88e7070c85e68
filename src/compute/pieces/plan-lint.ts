/** Files of a skill whose content is checked. */
import { limits } from "../../../contract/limits.ts";
import type { ContentFormat, SkillType } from "../../../contract/vocabulary.ts";
import { lintName, lintPaths, type FilesToLint, type UnnamedFinding } from "./lint-files.ts";

export interface SkillKind {
  format: ContentFormat;
  type: SkillType;
}

export interface LintPlan<F> {
  /** Findings about names. */
  found: UnnamedFinding[];
  /** Files to read. */
  read: F[];
  around: Omit<FilesToLint, "files">;
}

/**
 * Files over `limits.inlineFileBytes`, and those beyond `limits.lintedBytes` in total, are not searched for secrets.
 */
export function planLint<F extends { path: string; size: number }>(
  files: readonly F[],
  { format, type }: SkillKind,
): LintPlan<F> {
  const root = format === "markdown" && type === "rule" ? "RULE.md" : "SKILL.md";
  let bytesLeft: number = limits.lintedBytes;
  const read = files.filter(({ path, size }) => {
    if (size > limits.inlineFileBytes || (path !== root && size > bytesLeft)) return false;
    bytesLeft -= size;
    return true;
  });
  const paths = files.map(({ path }) => path);
  const found = paths.map(lintName).filter((finding) => finding !== undefined);
  if (format === "package") found.push(...lintPaths(paths));
  return { found, read, around: { root, format, type, paths } };
}
