/** The source of `publish` and `push`: a file is a text skill, a folder a package. */
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { limits } from "../../contract/limits.ts";
import { type Client, type ContentInput } from "../api/client.ts";
import { uploadPackage } from "../api/uploads.ts";
import type { Context } from "../context.ts";
import { CliError, hasCode, invalidArgument, messageOf, notFound } from "../errors.ts";
import { withTemporaryFolder } from "../state/state.ts";
import { type PackageFile, readPackageFolder } from "./folder.ts";
import { frontmatterName } from "./frontmatter.ts";
import { isToolFile, withoutToolKeys } from "./tool-file.ts";

export type SkillSource =
  | { format: "markdown"; name: string; content: string }
  | { format: "package"; name: string; files: PackageFile[] };

/** File names that are generic and not the name of the skill. */
const genericNames = new Set(["skill", "rule"]);

/** Reads a file, or lists a folder's files. Throws for content that can't be published. */
export async function readSource(context: Context, path: string): Promise<SkillSource> {
  const full = resolve(context.cwd, path);
  let isFolder: boolean;
  try {
    const info = await stat(full);
    isFolder = info.isDirectory();
    if (!isFolder && !info.isFile())
      throw invalidArgument("<path>", `${path} is neither a file nor a folder.`, { kind: "path", ref: path });
    if (!isFolder && info.size > limits.textFileBytes) throw tooLarge(path, info.size);
  } catch (error) {
    throw unreadable(path, error);
  }

  if (isFolder) {
    const files = await readPackageFolder(full);
    const skillFile = await readFile(join(full, "SKILL.md"), "utf8");
    return { format: "package", name: (await frontmatterName(skillFile)) ?? basename(full), files };
  }
  const text = await readText(full, path);
  const content = isToolFile(full) ? await withoutToolKeys(text) : text;
  if (await isOverLimit(content)) throw tooLarge(path, Buffer.byteLength(content));
  return { format: "markdown", name: (await frontmatterName(content)) ?? nameOfFile(full), content };
}

/** Frontmatter has a separate limit. */
async function isOverLimit(text: string): Promise<boolean> {
  if (Buffer.byteLength(text) <= limits.textContentBytes) return false;
  const { cutFences } = await import("../../contract/frontmatter.ts");
  return Buffer.byteLength(cutFences(text)?.body ?? text) > limits.textContentBytes;
}

function tooLarge(path: string, bytes: number): CliError {
  return invalidArgument(
    "<path>",
    `${path} has ${bytes} bytes; a text skill may have ${limits.textContentBytes}. Publish a folder instead.`,
    { kind: "path", ref: path },
  );
}

/** The name of a text without `name` in its frontmatter. */
export function nameOfFile(full: string): string {
  const stem = basename(full, extname(full)).replace(/\.instructions$/, "");
  return genericNames.has(stem.toLowerCase()) ? basename(dirname(full)) : stem;
}

/** The content to publish with; a package is packed and uploaded first. */
export async function stageContent(
  context: Context,
  client: Client,
  source: SkillSource,
): Promise<ContentInput> {
  if (source.format === "markdown") return { content: source.content };
  const { writeZip } = await import("./zip.ts");
  return withTemporaryFolder(context, async (folder) => {
    const zip = await writeZip(source.files, join(folder, "package.zip"));
    const progress = await context.output.progress(`Uploading ${source.files.length} files`);
    try {
      return { uploadId: await uploadPackage(client, zip, progress) };
    } finally {
      progress.end();
    }
  });
}

async function readText(full: string, path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(full);
  } catch (error) {
    throw unreadable(path, error);
  }
  const refuse = (why: string) => invalidArgument("<path>", `${path} ${why}.`, { kind: "path", ref: path });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse("is not UTF-8 text");
  }
  if (text.includes("\0")) throw refuse("is not text: it contains NUL characters");
  if (text.trim() === "") throw refuse("is empty");
  return text;
}

export function unreadable(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (hasCode(error, "ENOENT", "ENOTDIR")) return notFound("path", path, `There is nothing at ${path}.`);
  return invalidArgument("<path>", `${path} cannot be read: ${messageOf(error)}.`, {
    kind: "path",
    ref: path,
  });
}
