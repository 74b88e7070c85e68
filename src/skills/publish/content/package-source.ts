/** Content of a package: an uploaded zip whose SKILL.md describes it. The files are stored unchanged. */
import type { FileMode } from "../../../../contract/checks/package-rules.ts";
import { publishWarnings } from "../../../../contract/checks/skill-advice.ts";
import { type SkillText, tooLargeText } from "../../../../contract/checks/skill-rules.ts";
import { firstParagraph } from "../../../../contract/document/first-paragraph.ts";
import { limits } from "../../../../contract/limits.ts";
import { readUtf8 } from "../../../../contract/text/text-encoding.ts";
import type { CallerCompute } from "../../../compute/compute.ts";
import { readText } from "../../../compute/read-text.ts";
import { refusalOf } from "../../frontmatter.ts";
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
  const zip = { path, rootFile, isExact };
  const facts = await compute.run("describe-zip", zip);
  const { fileCount, totalBytes, hasModes, selection } = facts;
  if ("fault" in facts) throw refusalOf(facts.fault, rootFile);
  // Selecting the files may take long: it is done in the thread above, and not again where the version is written.
  const archive = { ...zip, selection };
  const archiveFor = async (skill: StoredAs) =>
    hasModes || !modesOf ? archive : { ...archive, modes: await modesOf(skill) };
  const described = describeRoot(facts.text);
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

type Description = Pick<VersionSource, "defaults" | "firstParagraph" | "excerpt" | "warnings">;

/** The parts of a source that come from its SKILL.md. Throws `content_invalid`, or as `CallerCompute`. */
export async function describePackage(compute: CallerCompute, root: Buffer): Promise<Description> {
  if (root.length > limits.textContentBytes) throw refusalOf(tooLargeText(root.length), rootFile);
  return describeRoot(await readText(compute, decodeText(root, rootFile), "package"));
}

function describeRoot(text: SkillText): Description {
  const { body, defaults, faults } = text;
  if (faults[0]) throw refusalOf(faults[0], rootFile);
  return {
    defaults,
    firstParagraph: firstParagraph(body),
    excerpt: excerptOf(body),
    warnings: publishWarnings(rootFile, text, {
      format: "package",
      type: "skill",
    }),
  };
}

export function decodeText(bytes: Buffer, file: string): string {
  const read = readUtf8(bytes);
  if ("fault" in read) throw refusalOf(read.fault, file);
  return read.text;
}
