/** Content that an agent publishes: a text, or the files of a package, within the body of one call. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import type { SkillType } from "../../../contract/vocabulary.ts";
import type { TreeFile } from "../../../repos/store/index.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import type { FileToLint } from "../findings/lint.ts";
import { bytesOf, readFilesSource } from "../publish/content/edit-source.ts";
import { readTextSource, rootFileOf, type VersionSource } from "../publish/content/text-source.ts";
import type { OpenSource } from "../publish/content/version-source.ts";

const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);

const PackageFile = z
  .strictObject({
    path: z.string().min(1).max(4096),
    content: z.string().refine(isWellFormed, "must be well-formed Unicode").optional(),
    contentBase64: z.base64().optional().meta({ description: "the bytes of a file that is not a text" }),
    executable: z.boolean().default(false),
  })
  .refine(
    ({ content, contentBase64 }) => (content === undefined) !== (contentBase64 === undefined),
    "needs content or contentBase64",
  );

export const contentFields = {
  content: z
    .string()
    .optional()
    .meta({ description: `the text of a single-file skill, at most ${limits.textContentBytes} bytes` }),
  files: z
    .array(PackageFile)
    .min(1)
    .max(limits.packageFiles)
    .optional()
    .meta({ description: "all files of a package, with SKILL.md at its root" }),
};

export interface GivenContent {
  content?: string;
  files?: z.output<typeof PackageFile>[];
}

export const isOneContent = ({ content, files }: GivenContent) =>
  (content === undefined) !== (files === undefined);

function readSource(compute: CallerCompute, given: GivenContent, type: SkillType): Promise<VersionSource> {
  return given.files
    ? readFilesSource(compute, treeFilesOf(given.files))
    : readTextSource(compute, given.content!, type);
}

export function openContent(compute: CallerCompute, given: GivenContent): OpenSource {
  return async (type, publish) => publish(await readSource(compute, given, type));
}

function treeFilesOf(files: NonNullable<GivenContent["files"]>): TreeFile[] {
  return files.map((file) => ({
    path: file.path,
    mode: file.executable ? "100755" : "100644",
    data: bytesOf(file)!,
  }));
}

/** Digests of content that a plan is made from. */
export interface Digests {
  format: VersionSource["format"];
  hash: string;
  frontmatterHash?: string;
}

export async function digestsOf({ format, contentHash, frontmatterHash }: VersionSource): Promise<Digests> {
  return { format, hash: await contentHash(), frontmatterHash };
}

/** Content of a dry run: nothing of it is stored. */
export async function describeContent(
  compute: CallerCompute,
  given: GivenContent,
  type: SkillType,
): Promise<{ source: VersionSource; digests: Digests; files: FileToLint[] }> {
  const source = await readSource(compute, given, type);
  const files = given.files
    ? treeFilesOf(given.files)
    : [{ path: rootFileOf(type), data: Buffer.from(given.content!) }];
  return {
    source,
    digests: await digestsOf(source),
    files: files.map(({ path, data }) => ({ path, size: data.length, read: () => data })),
  };
}
