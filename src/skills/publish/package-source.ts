/** Content of a package: an uploaded zip whose SKILL.md describes it. The files are stored unchanged. */
import { limits } from "../../../contract/limits.ts";
import type { FileMode } from "../../../contract/package-rules.ts";
import { isToolName, overText, type SkillText, unknownKeys } from "../../../contract/skill-rules.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import { decodeUtf8 } from "../../compute/pieces/decode-utf8.ts";
import { readText } from "../../compute/read-text.ts";
import { ServiceError } from "../../errors.ts";
import { refusalOf } from "../frontmatter.ts";
import { excerptOf, type StoredAs, type VersionSource } from "./text-source.ts";

export const rootFile = "SKILL.md";

interface Reading {
  /** The service made the zip (`ZipRules`). */
  isExact?: boolean;
  /** Modes of the current version of a skill, for zips without modes; undefined for a new skill. */
  modesOf?: (skill: StoredAs) => Promise<ReadonlyMap<string, FileMode> | undefined>;
}

/** Reads a zip on disk. Throws `PackageError`, `content_invalid` for an unusable SKILL.md, or as `CallerCompute`. */
export async function readPackageSource(
  compute: CallerCompute,
  path: string,
  { isExact = false, modesOf }: Reading = {},
): Promise<VersionSource> {
  const archive = { path, rootFile, isExact };
  const facts = await compute.run("describe-zip", archive);
  const { text, fileCount, totalBytes, rootBytes, hasModes } = facts;
  if (rootBytes > limits.textContentBytes) throw invalid(rootFile, overText(rootBytes));
  if (!text) throw invalid(rootFile, "it is not UTF-8 text");
  const archiveFor = async (skill: StoredAs) =>
    hasModes || !modesOf ? archive : { ...archive, modes: await modesOf(skill) };
  const described = describeRoot(text);
  return {
    ...described,
    warnings: [...described.warnings, ...facts.warnings],
    format: "package",
    contentHash: () => compute.run("digest-zip", archive),
    /** Files are hashed only if their number and size are equal, so that most changes are detected without hashing. */
    async equals(current, skill) {
      if (current.format !== "package") return false;
      if (current.fileCount !== fileCount || current.totalBytes !== totalBytes) return false;
      return (await compute.run("digest-zip", await archiveFor(skill))) === current.digest;
    },
    tree: async (skill) => ({ source: { kind: "zip", ...(await archiveFor(skill)) } }),
  };
}

type Description = Pick<VersionSource, "defaults" | "excerpt" | "warnings">;

/** The parts of a source that come from its SKILL.md. Throws `content_invalid`, or as `CallerCompute`. */
export async function describePackage(compute: CallerCompute, root: Buffer): Promise<Description> {
  if (root.length > limits.textContentBytes) throw invalid(rootFile, overText(root.length));
  return describeRoot(await readText(compute, decodeText(root, rootFile), "package"));
}

function describeRoot({ fields, body, defaults, faults }: SkillText): Description {
  if (faults[0]) throw refusalOf(faults[0], rootFile);
  return { defaults, excerpt: excerptOf(body), warnings: warningsAbout(fields!, defaults.name!) };
}

export function decodeText(bytes: Buffer, file: string): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw invalid(file, "it is not UTF-8 text");
  return text;
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
