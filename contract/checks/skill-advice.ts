/** Advice about skills that are accepted, for tools that would not read them as intended. Pure. */
import { firstParagraph } from "../document/first-paragraph.ts";
import { misspelledKey } from "../document/known-keys.ts";
import { quotedIfNeeded } from "../faults/yaml-lines.ts";
import { limits } from "../limits.ts";
import { slugPattern } from "../names/slug.ts";
import type { ContentFormat, SkillType } from "../vocabulary.ts";
import { type Fault, type SkillText, sentenceOf, tagRules } from "./skill-rules.ts";

/** Rules that a text should keep; a text that breaks one is still published. */
export const adviceRules = [
  ...tagRules,
  "frontmatter_missing",
  "name_missing",
  "description_missing",
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

/** Whether tools that keep to the format load a skill of this name. */
export function isToolName(name: string): boolean {
  return slugPattern.test(name) && name.length <= 64;
}

export interface SkillContext {
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
  return [
    ...text.ignored,
    ...adviseOnMissing(text, around),
    ...adviseOnFields(text, around),
    ...adviseOnBody(text, around),
    ...adviseOnLinks(text, around),
  ];
}

/** Advice that a publish returns as warnings: the service ignores or replaces a part of the frontmatter. */
const publishRules: readonly AdviceRule[] = [
  ...tagRules,
  "frontmatter_missing",
  "name_missing",
  "description_missing",
  "name_form",
  "unknown_key",
];

/** The warnings of a publish, each with the file. */
export function publishWarnings(file: string, text: SkillText, around: SkillContext): string[] {
  return [...text.ignored, ...adviseOnMissing(text, around), ...adviseOnFields(text, around)]
    .filter(({ rule }) => publishRules.includes(rule))
    .map((fault) => `${file}: ${sentenceOf(fault)}`);
}

/** Fields that a package has not, and that only some tools do without. */
function adviseOnMissing(
  { fields, defaults, faults, lines, body }: SkillText,
  { format, folder = "name-of-the-folder" }: SkillContext,
): Fault<AdviceRule>[] {
  if (format !== "package" || faults.length > 0) return [];
  const required = "which all tools but Claude Code require";
  const name = `name: ${quotedIfNeeded(folder)}`;
  const description = `description: ${quotedIfNeeded(firstParagraph(body) || "…")}`;
  if (fields === undefined)
    return [
      {
        rule: "frontmatter_missing",
        reason: `it has no frontmatter with a name and a description, ${required}`,
        remedy: `Insert above its first line, as four lines: \`---\`, \`${name}\`, \`${description}\`, \`---\`.`,
        line: 1,
      },
    ];
  const advice: Fault<AdviceRule>[] = [];
  const add = (key: string, rule: AdviceRule, text: string) =>
    advice.push({
      rule,
      reason: `its frontmatter has no ${key}, ${required}`,
      remedy: `Add the line: \`${text}\`.`,
      line: lines.get(key) ?? 1,
    });
  if (defaults.name === undefined) add("name", "name_missing", name);
  if (defaults.description === undefined) add("description", "description_missing", description);
  return advice;
}

const longDescription = (characters: number) =>
  `its description has ${characters} characters, over the ${limits.skillDescriptionAdvised} that tools read`;

function adviseOnFields(text: SkillText, around: SkillContext): Fault<AdviceRule>[] {
  const { fields = new Map<string, unknown>(), lines, defaults } = text;
  const advice: Fault<AdviceRule>[] = [];
  const advise = (key: string, rule: AdviceRule, reason: string, remedy?: string) =>
    advice.push({ rule, reason, remedy, line: lines.get(key) ?? 1 });
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
  for (const key of fields.keys()) {
    const meant = misspelledKey(key);
    if (meant !== undefined)
      advise(key, "unknown_key", `its key "${key}" is not known to any tool`, `Is "${meant}" meant?`);
  }
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
  if (metadata !== undefined && !(metadata instanceof Map))
    advise("metadata", "metadata_form", "its metadata must be a mapping of keys to values");
  const allowed = given("allowed-tools");
  const isList = Array.isArray(allowed) && allowed.every((tool) => typeof tool === "string");
  if (allowed !== undefined && typeof allowed !== "string" && !isList)
    advise("allowed-tools", "allowed_tools_form", "its allowed-tools must be a text or a list of texts");
  return advice;
}

function adviseOnBody({ body, bodyLine, faults }: SkillText, { format }: SkillContext): Fault<AdviceRule>[] {
  const advice: Fault<AdviceRule>[] = [];
  if (format === "package" && body.trim() === "" && faults.length === 0)
    advice.push({
      rule: "body_empty",
      reason: "it has no instructions below its frontmatter",
    });
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
