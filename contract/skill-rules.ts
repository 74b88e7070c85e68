/**
 * Requirements for a text to be published, and further advice for tools (agentskills.io/specification): the
 * same rules where the service takes content in and where `svc lint` looks at it before. The rules about a package's
 * paths and sizes are in `package-rules.ts`. Pure.
 */
import { FrontmatterError, type SplitText, frontmatterRules, splitFrontmatter } from "./frontmatter.ts";
import { limits } from "./limits.ts";
import { oneLineText } from "./one-line.ts";
import { utf8Length } from "./package-rules.ts";
import { ruleKeys } from "./rule-keys.ts";
import { sizeText } from "./size-text.ts";
import type { ContentFormat, SkillType } from "./vocabulary.ts";

/** For which a text is refused. */
export const contentRules = [
  ...frontmatterRules,
  "text_too_large",
  "text_encoding",
  "text_empty",
  "frontmatter_missing",
  "name_missing",
  "name_type",
  "name_unusable",
  "description_missing",
  "description_type",
  "description_too_long",
  "tags_type",
  "too_many_tags",
  "tag_too_long",
] as const;
export type ContentRule = (typeof contentRules)[number];

/** Rules that a text should keep; a text that breaks one is still published. */
export const adviceRules = [
  "unknown_key",
  "name_form",
  "name_folder",
  "name_reserved",
  "markup_in_field",
  "description_absent",
  "description_long",
  "license_form",
  "compatibility_form",
  "metadata_form",
  "allowed_tools_form",
  "body_empty",
  "body_too_long",
  "body_too_many_tokens",
  "link_missing",
  "link_outside",
  "path_windows",
  "path_long",
] as const;
export type AdviceRule = (typeof adviceRules)[number];

/** `reason` is a clause without a full stop, about "it", the file. */
export interface Fault<R extends string = ContentRule> {
  rule: R;
  reason: string;
  /** Line in the file, from 1. */
  line?: number;
}

/** Fields of the frontmatter that describe the skill. */
export interface FrontmatterDefaults {
  name?: string;
  description?: string;
  tags?: string[];
}

export interface SkillText extends SplitText {
  defaults: FrontmatterDefaults;
  /** Reasons for a refusal, in the order of the checks; empty if the text is accepted. */
  faults: Fault[];
}

/** The reason of `text_too_large`. */
export function overText(bytes: number): string {
  return `it has ${sizeText(bytes)}, over the ${sizeText(limits.textContentBytes)} of a text`;
}

/** Whether each surrogate is half of a pair. All but the latest browsers and Node.js 20 know it without a search. */
function isWellFormed(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

/** Reads a text skill or a package's SKILL.md. Never throws. */
export function readSkillText(source: string, format: ContentFormat): SkillText {
  const faults: Fault[] = [];
  // A text is limited without its frontmatter, which has a limit of its own: what the service adds never makes it too
  // large.
  const tooLarge = (bytes: number) => ({ rule: "text_too_large", reason: overText(bytes) }) as const;
  const isText = format === "markdown";
  const size = utf8Length(source);
  if (size > (isText ? limits.textFileBytes : limits.textContentBytes)) faults.push(tooLarge(size));
  if (format === "markdown" && (source.includes("\0") || !isWellFormed(source)))
    faults.push({ rule: "text_encoding", reason: "it is not text: it holds NUL or broken Unicode" });
  let split: SplitText;
  try {
    split = splitFrontmatter(source);
  } catch (error) {
    if (!(error instanceof FrontmatterError)) throw error;
    const { rule, reason, line } = error;
    const nothing = { fields: undefined, lines: new Map<string, number>(), head: "", body: "", bodyLine: 1 };
    return { ...nothing, defaults: {}, faults: [...faults, { rule, reason, line }] };
  }
  const { fields } = split;
  const bodySize = isText && faults.length === 0 ? utf8Length(split.body) : 0;
  if (bodySize > limits.textContentBytes) faults.push(tooLarge(bodySize));
  if (format === "markdown" && split.body.trim() === "")
    faults.push({ rule: "text_empty", reason: "it has no text" });
  if (format === "package" && fields === undefined)
    faults.push({
      rule: "frontmatter_missing",
      reason: "it must begin with frontmatter that has a name and a description",
    });
  const read = readDefaults(split);
  faults.push(...read.faults);
  if (format === "package" && fields !== undefined)
    for (const [key, rule] of [
      ["name", "name_missing"],
      ["description", "description_missing"],
    ] as const)
      if (read.defaults[key] === undefined && !read.faults.some((fault) => fault.rule.startsWith(`${key}_`)))
        faults.push({ rule, reason: `its frontmatter has no ${key}`, line: split.lines.get(key) ?? 1 });
  return { ...split, defaults: read.defaults, faults };
}

function readDefaults({ fields, lines }: SplitText): { defaults: FrontmatterDefaults; faults: Fault[] } {
  const defaults: FrontmatterDefaults = {};
  const faults: Fault[] = [];
  const refuse = (key: string, rule: ContentRule, reason: string) =>
    faults.push({ rule, reason, line: lines.get(key) ?? 1 });
  const name = fields?.get("name");
  const description = fields?.get("description");
  const tags = fields?.get("tags");
  if (name !== undefined && name !== null) {
    if (typeof name !== "string" && typeof name !== "number")
      refuse("name", "name_type", "its name must be text");
    else if (String(name).trim() !== "") defaults.name = String(name).trim().slice(0, limits.skillName);
  }
  if (description !== undefined && description !== null) {
    const line = typeof description === "string" ? description.replace(/\s+/g, " ").trim() : "";
    if (typeof description !== "string")
      refuse("description", "description_type", "its description must be text");
    else if (line.length > limits.skillDescription)
      refuse(
        "description",
        "description_too_long",
        `its description has ${line.length} characters, over ${limits.skillDescription}`,
      );
    else if (line !== "") defaults.description = line;
  }
  if (tags !== undefined && tags !== null) {
    const list = typeof tags === "string" ? tags.split(",") : tags;
    if (!Array.isArray(list) || list.some((tag) => typeof tag !== "string" && typeof tag !== "number")) {
      refuse("tags", "tags_type", "its tags must be a list of texts");
      return { defaults, faults };
    }
    defaults.tags = [...new Set(list.map((tag) => String(tag).trim().toLowerCase()))].filter(
      (tag) => tag !== "",
    );
    if (defaults.tags.length > limits.tagsPerSkill)
      refuse("tags", "too_many_tags", `it has over ${limits.tagsPerSkill} tags`);
    const long = defaults.tags.find((tag) => tag.length > limits.tagLength);
    if (long !== undefined)
      refuse(
        "tags",
        "tag_too_long",
        `its tag "${long.slice(0, 20)}…" is over ${limits.tagLength} characters`,
      );
  }
  return { defaults, faults };
}

/** Reason why a skill's name is refused; the name comes from the frontmatter, or from its file or folder. */
export function faultOfName(name: string, line?: number): Fault | undefined {
  const reason =
    name.trim().length > limits.skillName
      ? `its name is over ${limits.skillName} characters`
      : oneLineText.test(name.trim())
        ? undefined
        : "its name must be one line without control characters";
  return reason === undefined
    ? undefined
    : { rule: "name_unusable", reason, ...(line === undefined ? {} : { line }) };
}

/** Keys of the Agent Skills format, and our own `tags`. */
const knownKeys = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "tags",
]);

/** Keys that are kept although not every tool supports them. */
export function unknownKeys(fields: ReadonlyMap<string, unknown>): string[] {
  return [...fields.keys()].filter((key) => !knownKeys.has(key));
}

/** Whether tools that keep to the format load a skill of this name. */
export function isToolName(name: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= 64;
}

export interface SkillContext {
  /** A rule file of a tool, whose keys are known. */
  isToolFile?: boolean;
  format: ContentFormat;
  type: SkillType;
  /** The package's folder. */
  folder?: string;
  /** The package's files, with `/`. */
  files?: readonly string[];
  /** Number of links that are reported; all by default. */
  maxLinks?: number;
}

const advisedLines = 500;
const advisedTokens = 5000;
/** English prose and code alike come to about this many. */
const charactersPerToken = 4;
const compatibilityMax = 500;

/** Recommendations beyond the requirements. */
export function adviseOn(text: SkillText, around: SkillContext): Fault<AdviceRule>[] {
  return [...adviseOnFields(text, around), ...adviseOnBody(text, around), ...adviseOnLinks(text, around)];
}

const longDescription = (characters: number) =>
  `its description has ${characters} characters, over the ${limits.skillDescriptionAdvised} that tools read`;

function adviseOnFields(text: SkillText, around: SkillContext): Fault<AdviceRule>[] {
  const { fields = new Map<string, unknown>(), lines, defaults } = text;
  const advice: Fault<AdviceRule>[] = [];
  const advise = (key: string, rule: AdviceRule, reason: string) =>
    advice.push({ rule, reason, line: lines.get(key) ?? 1 });
  const { name, description } = defaults;
  if (around.format === "package" && name !== undefined) {
    if (!isToolName(name))
      advise(
        "name",
        "name_form",
        `its name "${name}" is not at most 64 lower-case letters, digits and single hyphens: ` +
          "some tools will not load it",
      );
    else if (around.folder !== undefined && around.folder !== name)
      advise(
        "name",
        "name_folder",
        `its name "${name}" is not that of its folder, "${around.folder}": some tools will not load it there`,
      );
    if (/anthropic|claude/i.test(name))
      advise("name", "name_reserved", 'its name holds "anthropic" or "claude", which Claude refuses');
  }
  for (const key of ["name", "description"] as const)
    if (/<\/?[a-z][^<>]*>/i.test(defaults[key] ?? ""))
      advise(key, "markup_in_field", `its ${key} holds a tag in angle brackets, which Claude refuses`);
  if (around.format === "markdown" && around.type === "skill" && description === undefined)
    advise(
      "description",
      "description_absent",
      "it has no description, by which tools choose a skill: its first paragraph stands in",
    );
  if (description !== undefined && description.length > limits.skillDescriptionAdvised)
    advise("description", "description_long", longDescription(description.length));
  for (const key of unknownKeys(fields).filter((one) => !around.isToolFile || !ruleKeys.includes(one)))
    advise(key, "unknown_key", `its key "${key}" is not known to every tool`);
  const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
  const given = (key: string) => fields.get(key) ?? undefined;
  const license = given("license");
  if (license !== undefined && !isText(license))
    advise("license", "license_form", "its license must be a text: a license's name or a file's");
  const compatibility = given("compatibility");
  if (compatibility !== undefined && !(isText(compatibility) && compatibility.length <= compatibilityMax))
    advise(
      "compatibility",
      "compatibility_form",
      `its compatibility must be a text of 1 to ${compatibilityMax} characters`,
    );
  const metadata = given("metadata");
  const isTextMap =
    metadata instanceof Map &&
    [...metadata].every(([key, value]) => typeof key === "string" && typeof value === "string");
  if (metadata !== undefined && !isTextMap)
    advise("metadata", "metadata_form", "its metadata must be a mapping of texts to texts");
  const allowed = given("allowed-tools");
  if (allowed !== undefined && !isText(allowed))
    advise("allowed-tools", "allowed_tools_form", "its allowed-tools must be one text, separated by blanks");
  return advice;
}

function adviseOnBody({ body, bodyLine, faults }: SkillText, { format }: SkillContext): Fault<AdviceRule>[] {
  const advice: Fault<AdviceRule>[] = [];
  if (format === "package" && body.trim() === "" && faults.length === 0)
    advice.push({ rule: "body_empty", reason: "it has no instructions below its frontmatter" });
  const lines = body.trimEnd().split("\n").length;
  if (lines > advisedLines)
    advice.push({
      rule: "body_too_long",
      reason:
        `it has ${lines} lines of instructions, over the advised ${advisedLines}: ` +
        "move parts to files of their own",
      line: bodyLine + advisedLines,
    });
  const tokens = Math.ceil(body.length / charactersPerToken);
  if (tokens > advisedTokens)
    advice.push({
      rule: "body_too_many_tokens",
      reason:
        `its instructions come to about ${tokens} tokens, over the advised ${advisedTokens}: ` +
        "move parts to files of their own",
    });
  return advice;
}

/** Links and images in Markdown, outside of code; where they lead may follow in angle brackets. */
const inlineLink = /\]\(\s{0,3}<?([^()\s<>]{1,1000})/g;
const definedLink = /^ {0,3}\[[^\]]{1,200}\]:\s{0,3}<?([^\s<>]{1,1000})/;

function adviseOnLinks({ body, bodyLine }: SkillText, around: SkillContext): Fault<AdviceRule>[] {
  const advice: Fault<AdviceRule>[] = [];
  const files = new Set(around.files);
  const folders = foldersOf(files);
  const isThere = (path: string) => files.has(path) || folders.has(path);
  let fence: string | undefined;
  for (const [i, line] of body.split(/\r?\n/).entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const prose = line.replace(/`[^`]*`/g, "");
    const defined = definedLink.exec(prose)?.[1];
    const given = [...prose.matchAll(inlineLink)].map((match) => match[1]!);
    if (advice.length >= (around.maxLinks ?? Infinity)) break;
    for (const link of defined === undefined ? given : [...given, defined]) {
      const path = packagePathOf(link);
      if (path === undefined) continue;
      if (path === outside)
        advice.push({
          rule: "link_outside",
          reason: `its link "${link}" leads out of the skill`,
          line: bodyLine + i,
        });
      else if (around.format === "markdown")
        advice.push({
          rule: "link_missing",
          reason: `its link "${link}" leads to a file, and a text skill has no others: publish a folder instead`,
          line: bodyLine + i,
        });
      else if (!isThere(path))
        advice.push({
          rule: "link_missing",
          reason: `its link "${link}" leads to no file of the skill`,
          line: bodyLine + i,
        });
    }
  }
  return advice;
}

/** Every folder with a file in it: a text may have very many links. */
function foldersOf(files: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let cut = file.lastIndexOf("/"); cut > 0; cut = file.lastIndexOf("/", cut - 1))
      folders.add(file.slice(0, cut));
  return folders;
}

/** No path in a package is called so. */
const outside = "..";

/** The path in the package that a link means, or `outside`; undefined for links elsewhere and within the file. */
function packagePathOf(link: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#|\?)/i.test(link) || /[{}$*]/.test(link)) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(link.replace(/[?#].*$/s, ""));
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return outside;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join("/");
}
