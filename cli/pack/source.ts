/** The source of `publish`, `push` and `share`: a file is a text skill, a folder a package. */
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { SecretFinding } from "../../contract/checks/secret-rules.ts";
import type { Fault } from "../../contract/checks/skill-rules.ts";
import { limits } from "../../contract/limits.ts";
import { leftOutSentence } from "../../contract/package/left-out.ts";
import { pathWarnings } from "../../contract/package/portable-paths.ts";
import { sizeText } from "../../contract/text/size-text.ts";
import type { Context } from "../context.ts";
import { CliError, hasCode, invalidArgument, messageOf, notFound } from "../errors.ts";
import { type PackageFile, packFailed, readPackageFolder } from "./folder.ts";
import { acceptedSecrets, secretsError, secretsInContent, secretsInFiles } from "./secrets.ts";
import { isRuleFile, linkFault, rootFile } from "./skill-folders.ts";
import { isToolRule, readableRule, withStatedScope } from "./tool-file.ts";

interface Checked {
  /** Name for `publish` without `--name`. */
  name: string;
  /** `rule` for a file RULE.md and rules of tools; it applies to a new skill only. */
  defaultType?: "rule";
  warnings: string[];
}

export type SkillSource = Checked &
  ({ format: "markdown"; content: string } | { format: "package"; files: PackageFile[] });

export interface SourceOptions {
  /** `--allow-secret-files`. */
  allowSecrets: boolean;
  /** The name is given by a flag, so that the content's own is not checked. */
  isNamed?: boolean;
  /** The path was found in a folder that the user named. */
  isFound?: boolean;
  /** The type that is asked for. */
  type?: string;
}

/** File names that are generic and not the name of the skill. */
const genericNames = new Set(["skill", "rule"]);

/**
 * Reads a file, or lists a folder's files, and applies all rules of `svc lint` whose violations the service refuses.
 * Throws for content that can't be published, and for secrets.
 */
export async function readSource(
  context: Pick<Context, "cwd" | "platform">,
  path: string,
  options: SourceOptions,
): Promise<SkillSource> {
  const full = resolve(context.cwd, path);
  let isFolder: boolean;
  try {
    const fault = options.isFound === true ? await linkFault(full, path) : undefined;
    if (fault !== undefined) throw packFailed(fault);
    const info = await stat(full);
    isFolder = info.isDirectory();
    if (!isFolder && !info.isFile())
      throw invalidArgument("<path>", `${path} is neither a file nor a folder.`, { kind: "path", ref: path });
    if (!isFolder && info.size > limits.textFileBytes) throw tooLarge(path, info.size);
  } catch (error) {
    throw unreadable(path, error);
  }
  return isFolder ? readFolder(context, full, path, options) : readTextFile(full, path, options);
}

async function readFolder(
  context: Pick<Context, "platform">,
  full: string,
  path: string,
  options: SourceOptions,
): Promise<SkillSource> {
  const [{ readSkillText, tooLargeText }, { readUtf8 }] = await contentRules();
  const { files, leftOut } = await readPackageFolder(full, context.platform);
  const bytes = await readFile(join(full, rootFile));
  if (bytes.length > limits.textContentBytes) throw await refusedPackage(tooLargeText(bytes.length));
  const decoded = readUtf8(bytes);
  if ("fault" in decoded) throw await refusedPackage(decoded.fault);
  const read = readSkillText(decoded.text, "package");
  const name = read.defaults.name ?? basename(full);
  const fault = read.faults[0] ?? (await faultOf(name, options));
  if (fault !== undefined) throw await refusedPackage(fault);
  const warnings = [
    ...checkSecrets(path, await secretsInFiles(files), options),
    ...[leftOutSentence(leftOut) ?? []].flat(),
    ...pathWarnings(files.map((file) => file.path)),
  ];
  return { format: "package", name, files, warnings };
}

/** Loaded only where content is read, since YAML takes long to load. */
const contentRules = () =>
  Promise.all([
    import("../../contract/checks/skill-rules.ts"),
    import("../../contract/text/text-encoding.ts"),
  ]);

async function readTextFile(full: string, path: string, options: SourceOptions): Promise<SkillSource> {
  const [{ readSkillText, refusalText }, { readUtf8 }] = await contentRules();
  const bytes = await readBytes(full, path);
  const decoded = readUtf8(bytes);
  const refuse = (fault: Fault) =>
    invalidArgument("<path>", refusalText(path, fault), {
      kind: "content",
      ref: path,
      rule: fault.rule,
      line: fault.line,
    });
  if ("fault" in decoded) throw refuse(decoded.fault);
  const { text } = decoded;
  const isRule = isRuleFile(full) || isToolRule(full, text);
  const readable = isRule ? await readableRule(text) : text;
  const content = (options.type ?? "rule") === "rule" && isRule ? withStatedScope(full, readable) : readable;
  const size = await contentSize(content);
  if (size > limits.textContentBytes) throw tooLarge(path, size);
  const read = readSkillText(content, "markdown");
  const name = read.defaults.name ?? nameOfFile(full);
  const fault = read.faults[0] ?? (await faultOf(name, options));
  if (fault !== undefined) throw refuse(fault);
  const warnings = checkSecrets(path, secretsInContent(basename(full), text), options);
  const type = isRule ? ({ defaultType: "rule" } as const) : {};
  return { format: "markdown", name, content, ...type, warnings };
}

async function faultOf(name: string, { isNamed }: SourceOptions): Promise<Fault | undefined> {
  const { faultOfName } = await import("../../contract/checks/skill-rules.ts");
  return isNamed === true ? undefined : faultOfName(name);
}

async function refusedPackage(fault: Fault): Promise<CliError> {
  const { refusalText } = await import("../../contract/checks/skill-rules.ts");
  return new CliError("E_PACK_FAILED", refusalText(rootFile, fault), {
    kind: "content",
    ref: rootFile,
    rule: fault.rule,
    line: fault.line,
  });
}

/** Returns the warnings about accepted secrets; throws for others. */
function checkSecrets(
  path: string,
  findings: readonly SecretFinding[],
  { allowSecrets }: SourceOptions,
): string[] {
  const error = allowSecrets ? undefined : secretsError(path, findings);
  if (error !== undefined) throw error;
  return acceptedSecrets(findings);
}

/** Size of the part that counts: frontmatter has a separate limit. */
async function contentSize(text: string): Promise<number> {
  const size = Buffer.byteLength(text);
  if (size <= limits.textContentBytes) return size;
  const { cutFences } = await import("../../contract/document/frontmatter.ts");
  return Buffer.byteLength(cutFences(text)?.body ?? text);
}

function tooLarge(path: string, bytes: number): CliError {
  return invalidArgument(
    "<path>",
    `${path} has ${sizeText(bytes)}; a text skill may have ${sizeText(limits.textContentBytes)}. ` +
      "Publish a folder instead.",
    { kind: "path", ref: path },
  );
}

/** The name of a text without `name` in its frontmatter. */
export function nameOfFile(full: string): string {
  const stem = basename(full, extname(full)).replace(/\.instructions$/, "");
  return genericNames.has(stem.toLowerCase()) ? basename(dirname(full)) : stem;
}

async function readBytes(full: string, path: string): Promise<Buffer> {
  try {
    return await readFile(full);
  } catch (error) {
    throw unreadable(path, error);
  }
}

export function unreadable(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (hasCode(error, "ENOENT", "ENOTDIR")) return notFound("path", path, `${path} does not exist.`);
  return invalidArgument("<path>", `${path} cannot be read: ${messageOf(error)}.`, {
    kind: "path",
    ref: path,
  });
}
