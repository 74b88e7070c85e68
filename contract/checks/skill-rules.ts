/**
 * Requirements for a text to be published: the same rules where the service takes content in and where `svc lint` looks
 * at it before. Advice for tools is in `skill-advice.ts`, the rules about a package's paths and sizes in
 * `package-rules.ts`. Pure.
 */
import {
  FrontmatterError,
  type SplitText,
  frontmatterRules,
  splitFrontmatter,
} from "../document/frontmatter.ts";
import { yamlText } from "../document/yaml-text.ts";
import { limits } from "../limits.ts";
import { sizeText } from "../text/size-text.ts";
import type { ContentFormat } from "../vocabulary.ts";
import { utf8Length } from "./package-rules.ts";
import { oneLineText } from "./unsafe-characters.ts";

/** For which a text is refused. */
export const contentRules = [
  ...frontmatterRules,
  "text_too_large",
  "text_encoding",
  "text_empty",
  "name_type",
  "name_unusable",
  "description_type",
  "description_too_long",
] as const;
export type ContentRule = (typeof contentRules)[number];

/** `reason` is a clause without a full stop, about "it", the file. */
export interface Fault<R extends string = ContentRule> {
  rule: R;
  reason: string;
  /** A sentence with the text to write, if one is known. */
  remedy?: string;
  /** Line in the file, from 1. */
  line?: number;
}

/** Fields of the frontmatter that describe the skill. */
export interface FrontmatterDefaults {
  name?: string;
  description?: string;
  tags?: string[];
}

/** Reasons to ignore tags. */
export const tagRules = ["tags_type", "too_many_tags", "tag_too_long"] as const;
type TagRule = (typeof tagRules)[number];

export interface SkillText extends SplitText {
  defaults: FrontmatterDefaults;
  ignored: Fault<TagRule>[];
  /** Reasons for a refusal, in the order of the checks; empty if the text is accepted. */
  faults: Fault[];
}

/** A fault as a sentence, with its remedy. */
export function sentenceOf({ reason, remedy }: Pick<Fault<string>, "reason" | "remedy">): string {
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}

/** The sentences about a text that can't be published, the same on every surface. */
export function refusalText(file: string, { reason, line, remedy }: Fault): string {
  const at = line === undefined ? "" : ` (line ${line})`;
  return `${file} can't be published: ${reason}${at}.${remedy === undefined ? "" : ` ${remedy}`}`;
}

export function tooLargeText(bytes: number): Fault<"text_too_large"> {
  return {
    rule: "text_too_large",
    reason: `it has ${sizeText(bytes)}, over the ${sizeText(limits.textContentBytes)} of a text`,
  };
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
  const isText = format === "markdown";
  const size = utf8Length(source);
  if (size > (isText ? limits.textFileBytes : limits.textContentBytes)) faults.push(tooLargeText(size));
  const broken = brokenCharacters(source);
  if (broken) faults.push(broken);
  let split: SplitText;
  try {
    split = splitFrontmatter(source);
  } catch (error) {
    if (!(error instanceof FrontmatterError)) throw error;
    const { rule, reason, remedy, line } = error;
    const nothing = { fields: undefined, lines: new Map<string, number>(), head: "", body: "", bodyLine: 1 };
    return {
      ...nothing,
      defaults: {},
      ignored: [],
      faults: [...faults, { rule, reason, remedy, line }],
    };
  }
  const bodySize = isText && faults.length === 0 ? utf8Length(split.body) : 0;
  if (bodySize > limits.textContentBytes) faults.push(tooLargeText(bodySize));
  if (split.body.trim() === "" && (isText || split.fields === undefined))
    faults.push({
      rule: "text_empty",
      reason: "it has no text",
      remedy: "Write the instructions into it.",
    });
  return { ...split, ...readDefaults(split, faults), faults };
}

/** The first character that tools can't read, as they take the file for another encoding or a binary. */
function brokenCharacters(source: string): Fault | undefined {
  const nul = source.indexOf("\0");
  if (nul >= 0)
    return {
      rule: "text_encoding",
      reason: "it contains a NUL character, so it is no text",
      remedy: "Remove the character, and save the file as UTF-8.",
      line: source.slice(0, nul).split("\n").length,
    };
  if (isWellFormed(source)) return undefined;
  return {
    rule: "text_encoding",
    reason: "it contains half of a Unicode character",
    remedy: "Remove it, and save the file as UTF-8.",
  };
}

/** `faults` gets those of the values. Tags that can't be used are left out, since the skill works without them. */
function readDefaults(
  { fields, lines }: SplitText,
  faults: Fault[],
): { defaults: FrontmatterDefaults; ignored: Fault<TagRule>[] } {
  const defaults: FrontmatterDefaults = {};
  const { name, description, tags } = Object.fromEntries(fields ?? []) as Record<string, unknown>;
  const refuse = (key: string, rule: ContentRule, reason: string, remedy: string) =>
    faults.push({ rule, reason, remedy, line: lines.get(key) ?? 1 });
  if (name !== undefined && name !== null) {
    if (typeof name !== "string" && typeof name !== "number")
      refuse("name", "name_type", "its name is not text", asText("name", name));
    else if (String(name).trim() !== "") defaults.name = String(name).trim().slice(0, limits.skillName);
  }
  if (description !== undefined && description !== null) {
    const line = typeof description === "string" ? description.replace(/\s+/g, " ").trim() : "";
    if (typeof description !== "string")
      refuse(
        "description",
        "description_type",
        "its description is not text",
        asText("description", description),
      );
    else if (line.length > limits.skillDescription)
      refuse(
        "description",
        "description_too_long",
        `its description has ${line.length} characters, over ${limits.skillDescription}`,
        "Move details below the frontmatter: tools read the first 1,024 characters at most.",
      );
    else if (line !== "") defaults.description = line;
  }
  const ignored: Fault<TagRule>[] = [];
  const used =
    tags === undefined || tags === null ? undefined : readTags(tags, lines.get("tags") ?? 1, ignored);
  if (used !== undefined) defaults.tags = used;
  return { defaults, ignored };
}

/** The usable tags. `ignored` gets the reasons for the others. */
function readTags(given: unknown, line: number, ignored: Fault<TagRule>[]): string[] | undefined {
  const ignore = (rule: TagRule, reason: string, remedy: string) =>
    ignored.push({ rule, reason, remedy, line });
  const list = typeof given === "string" ? given.split(",") : given;
  if (!Array.isArray(list) || list.some((tag) => typeof tag !== "string" && typeof tag !== "number")) {
    ignore(
      "tags_type",
      "its tags are not a list of texts, so they are ignored",
      "Write instead: `tags: [a, b]`.",
    );
    return undefined;
  }
  const all = [...new Set(list.map((tag) => String(tag).trim().toLowerCase()))].filter((tag) => tag !== "");
  const [long] = all.filter((tag) => tag.length > limits.tagLength);
  if (long !== undefined)
    ignore(
      "tag_too_long",
      `its tag "${long.slice(0, 20)}…" is over ${limits.tagLength} characters, so it is ignored`,
      "Choose a shorter one.",
    );
  const tags = all.filter((tag) => tag.length <= limits.tagLength);
  if (tags.length > limits.tagsPerSkill)
    ignore(
      "too_many_tags",
      `it has ${tags.length} tags, of which only the first ${limits.tagsPerSkill} are used`,
      "Remove the others.",
    );
  return tags.slice(0, limits.tagsPerSkill);
}

/** The remedy for a value that YAML reads as a number, a list or the like. */
function asText(key: string, value: unknown): string {
  const isScalar = typeof value === "number" || typeof value === "boolean";
  const text = isScalar ? String(value) : Array.isArray(value) ? `[${value.map(String).join(", ")}]` : "…";
  return `Write instead: \`${key}: ${yamlText(text.slice(0, 200))}\`.`;
}

/** Reason why a skill's name is refused; the name comes from the frontmatter, or from its file or folder. */
export function faultOfName(name: string, line?: number): Fault | undefined {
  const reason =
    name.trim().length > limits.skillName
      ? `its name is over ${limits.skillName} characters`
      : oneLineText.test(name.trim())
        ? undefined
        : "its name is not one line without control characters";
  if (reason === undefined) return undefined;
  return {
    rule: "name_unusable",
    reason,
    remedy: "Choose another name.",
    line,
  };
}
