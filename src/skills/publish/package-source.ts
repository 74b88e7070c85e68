/** Content of a package: an uploaded zip whose SKILL.md describes it. The files are stored unchanged. */
import { createHash } from "node:crypto";
import { canonicalContent } from "../../../contract/package-rules.ts";
import { limits } from "../../../contract/limits.ts";
import { isToolName, overText, readSkillText, unknownKeys } from "../../../contract/skill-rules.ts";
import { openZipPackage } from "../../../repos/archive/index.ts";
import type { VersionSummary } from "../../../storage/skills.ts";
import { ServiceError } from "../../errors.ts";
import { refusalOf } from "../frontmatter.ts";
import { excerptOf, type VersionSource } from "./text-source.ts";

export const rootFile = "SKILL.md";

/** Reads a zip on disk. Throws `PackageError`, or `content_invalid` for a SKILL.md that is not usable. */
export async function readPackageSource(zipPath: string): Promise<VersionSource> {
  const zip = await openZipPackage(zipPath, { rootFile });
  try {
    const root = zip.files.find((file) => file.path === rootFile)!;
    if (root.size > limits.textContentBytes) throw invalid(rootFile, overText(root.size));
    const described = describePackage(await root.read());
    const facts = { fileCount: zip.files.length, totalBytes: zip.totalBytes };
    return {
      ...described,
      format: "package",
      contentHash: () => digestOf(zipPath),
      equals: (current) => equalsCurrent(zipPath, facts, current),
      tree: () => ({ source: { kind: "zip", path: zipPath, rootFile } }),
    };
  } finally {
    zip.close();
  }
}

/** The parts of a source that come from its SKILL.md. Throws `content_invalid`. */
export function describePackage(root: Buffer): Pick<VersionSource, "defaults" | "excerpt" | "warnings"> {
  if (root.length > limits.textContentBytes) throw invalid(rootFile, overText(root.length));
  const { fields, body, defaults, faults } = readSkillText(decodeText(root, rootFile), "package");
  if (faults[0]) throw refusalOf(faults[0], rootFile);
  return { defaults, excerpt: excerptOf(body), warnings: warningsAbout(fields!, defaults.name!) };
}

/** Files are hashed only if their number and size are equal, so that most changes are detected without hashing. */
async function equalsCurrent(
  zipPath: string,
  facts: { fileCount: number; totalBytes: number },
  current: VersionSummary,
): Promise<boolean> {
  if (current.format !== "package") return false;
  if (current.fileCount !== facts.fileCount || current.totalBytes !== facts.totalBytes) return false;
  return (await digestOf(zipPath)) === current.digest;
}

async function digestOf(zipPath: string): Promise<string> {
  const zip = await openZipPackage(zipPath, { rootFile });
  try {
    const files: { path: string; mode: string; sha256: string }[] = [];
    for (const file of zip.files) {
      const hash = createHash("sha256");
      for await (const chunk of file.chunks()) hash.update(chunk);
      files.push({ path: file.path, mode: file.mode, sha256: hash.digest("hex") });
    }
    return createHash("sha256").update(canonicalContent(files)).digest("hex");
  } finally {
    zip.close();
  }
}

export function decodeText(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(file, "it is not UTF-8 text");
  }
}

function warningsAbout(fields: ReadonlyMap<string, unknown>, name: string): string[] {
  const unknown = unknownKeys(fields);
  const warnings =
    unknown.length > 0 ? [`SKILL.md has keys that not every tool knows: ${unknown.join(", ")}.`] : [];
  if (!isToolName(name)) {
    warnings.push(
      `The name "${name}" in SKILL.md is not lower-case letters, digits and hyphens: some tools will not load it.`,
    );
  }
  return warnings;
}

function invalid(file: string, reason: string): ServiceError {
  return new ServiceError("content_invalid", `${file} can't be published: ${reason}.`, {
    kind: "content",
    ref: file,
  });
}
