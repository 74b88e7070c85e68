/** Reading of zips of packages. All functions throw `PackageError`. */
import { createHash } from "node:crypto";
import { canonicalContent } from "../../../contract/checks/package-rules.ts";
import {
  type Fault,
  readSkillText,
  type SkillText,
  tooLargeText,
} from "../../../contract/checks/skill-rules.ts";
import { limits } from "../../../contract/limits.ts";
import { leftOutSentence, type LeftOut } from "../../../contract/package/left-out.ts";
import { pathWarnings } from "../../../contract/package/portable-paths.ts";
import { readUtf8 } from "../../../contract/text/text-encoding.ts";
import {
  openZipPackage,
  type ZipPackage,
  type ZipRules,
  type ZipSelection,
} from "../../../repos/archive/index.ts";
import { lintInMemory, type UnnamedFinding } from "./lint-files.ts";
import { planLint, type SkillKind } from "./plan-lint.ts";

/** A zip on disk, and how it is read. */
export type Archive = { path: string; rootFile: string } & Omit<ZipRules, "limits">;

export interface PackageFacts {
  fileCount: number;
  totalBytes: number;
  /** Whether the zip states the modes of its files. */
  hasModes: boolean;
  /** For the next reading of the zip. */
  selection: ZipSelection;
  /** About what was left out, and about paths. */
  warnings: string[];
}

/** Facts about a package, with its root file as it reads, or the reason why it can't be read. */
export function describeZip(
  archive: Archive,
): Promise<PackageFacts & ({ text: SkillText } | { fault: Fault })> {
  return withZip(archive, async (zip) => {
    const root = zip.files.find((file) => file.path === archive.rootFile)!;
    const facts = {
      fileCount: zip.files.length,
      totalBytes: zip.totalBytes,
      hasModes: zip.hasModes,
      selection: zip.selection,
      warnings: [
        ...[leftOutSentence(zip.leftOut) ?? []].flat(),
        ...(archive.isExact ? [] : pathWarnings(zip.files.map((file) => file.path))),
      ],
    };
    if (root.size > limits.textContentBytes) return { ...facts, fault: tooLargeText(root.size) };
    const read = readUtf8(await root.read());
    return "fault" in read ? { ...facts, ...read } : { ...facts, text: readSkillText(read.text, "package") };
  });
}

/** The content digest of a package. */
export function digestZip(archive: Archive): Promise<string> {
  return withZip(archive, async (zip) => {
    const files: { path: string; mode: string; sha256: string }[] = [];
    for (const file of zip.files) {
      const hash = createHash("sha256");
      for await (const chunk of file.chunks()) hash.update(chunk);
      files.push({ path: file.path, mode: file.mode, sha256: hash.digest("hex") });
    }
    return createHash("sha256").update(canonicalContent(files)).digest("hex");
  });
}

/** Findings about a package, and the paths of its files. */
export function lintZip({ kind, ...archive }: Archive & { kind: SkillKind }): Promise<{
  found: UnnamedFinding[];
  paths: readonly string[];
  leftOut: LeftOut[];
}> {
  return withZip(archive, async (zip) => {
    const plan = planLint(zip.files, kind);
    const found = [...plan.found];
    for (const file of plan.read) {
      const files = [{ path: file.path, data: await file.read() }];
      found.push(...lintInMemory({ ...plan.around, files }));
    }
    return { found, paths: plan.around.paths, leftOut: zip.leftOut };
  });
}

async function withZip<T>({ path, ...rules }: Archive, use: (zip: ZipPackage) => Promise<T>): Promise<T> {
  const zip = await openZipPackage(path, rules);
  try {
    return await use(zip);
  } finally {
    zip.close();
  }
}
