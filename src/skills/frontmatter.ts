/**
 * The YAML frontmatter of a SKILL.md or RULE.md: split off, read with suspicion, written back deterministically.
 * Only YAML between `---` lines is read. Nothing in it is ever run, and aliases are refused.
 */
import { type Scalar, isMap, isScalar, parseDocument, stringify } from "yaml";
import { limits } from "../../contract/limits.ts";
import { ServiceError } from "../errors.ts";

/** Far over any real one: the time to read hostile YAML grows with the square of its length. */
const frontmatterBytes = 8 * 1024;

export interface SplitText {
  /** The keys as they were written, in their order; undefined where there is no frontmatter. */
  fields: Map<string, unknown> | undefined;
  /** Everything after the frontmatter, without the blank lines that follow it. */
  body: string;
}

/** Splits a text into frontmatter and body. Throws `content_invalid` for frontmatter that can't be read. */
export function splitFrontmatter(source: string, file = "SKILL.md"): SplitText {
  const text = source.replace(/^\uFEFF/, "");
  const opening = /^---([^\r\n]*)(\r?\n|$)/.exec(text);
  if (!opening || opening[1]!.startsWith("-")) return { fields: undefined, body: text };
  if (opening[1]!.trim() !== "") {
    throw invalid(
      file,
      `"---${opening[1]!.trim()}" opens frontmatter of another language: only YAML between --- lines is read`,
    );
  }
  const rest = text.slice(opening[0].length);
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!closing) throw invalid(file, "its frontmatter has no closing --- line");
  const yaml = rest.slice(0, closing.index);
  if (Buffer.byteLength(yaml) > frontmatterBytes)
    throw invalid(file, `its frontmatter is over ${frontmatterBytes} bytes`);
  return {
    fields: readYaml(yaml, file),
    body: rest.slice(closing.index + closing[0].length).replace(/^(?:[ \t]*\r?\n)+/, ""),
  };
}

function readYaml(yaml: string, file: string): Map<string, unknown> {
  let value: unknown;
  try {
    const document = parseDocument(yaml, {
      schema: "core",
      uniqueKeys: true,
      merge: false,
      prettyErrors: true,
    });
    const [error] = document.errors;
    if (error) throw error;
    if (document.contents === null) return new Map();
    if (!isMap(document.contents)) throw new Error("it is not a mapping of keys to values");
    for (const { key } of document.contents.items) {
      if (!isScalar(key) || typeof (key as Scalar).value !== "string")
        throw new Error("its keys must be plain text");
    }
    value = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0]!.replace(/:$/, "");
    throw invalid(
      file,
      `its frontmatter is not usable YAML: ${/alias/i.test(reason) ? "aliases are not allowed" : reason}`,
    );
  }
  const fields = value as Map<string, unknown>;
  for (const key of fields.keys()) {
    if (["__proto__", "constructor", "prototype"].includes(key))
      throw invalid(file, `its frontmatter has the key "${key}"`);
  }
  return fields;
}

/** Writes frontmatter and body: `name`, `description`, then the other keys as they were published. */
export function joinFrontmatter(
  name: string,
  description: string,
  fields: ReadonlyMap<string, unknown>,
  body: string,
): string {
  const ordered = new Map<string, unknown>([
    ["name", name],
    ["description", description],
    ...[...fields].filter(([key]) => key !== "name" && key !== "description"),
  ]);
  return `---\n${stringify(ordered, { lineWidth: 0, aliasDuplicateObjects: false, version: "1.2" })}---\n\n${body}`;
}

/** The body of a text that `joinFrontmatter` wrote. */
export function bodyOf(text: string): string {
  const end = text.indexOf("\n---\n\n");
  return text.startsWith("---\n") && end >= 0 ? text.slice(end + "\n---\n\n".length) : text;
}

export interface FrontmatterDefaults {
  name?: string;
  description?: string;
  tags?: string[];
}

/** What frontmatter says of the skill itself. Throws `content_invalid` for values of the wrong type. */
export function readDefaults(
  fields: ReadonlyMap<string, unknown> | undefined,
  file = "SKILL.md",
): FrontmatterDefaults {
  const defaults: FrontmatterDefaults = {};
  const name = fields?.get("name");
  const description = fields?.get("description");
  const tags = fields?.get("tags");
  if (name !== undefined && name !== null) {
    if (typeof name !== "string" && typeof name !== "number") throw invalid(file, "its name must be text");
    if (String(name).trim() !== "") defaults.name = String(name).trim().slice(0, limits.skillName);
  }
  if (description !== undefined && description !== null) {
    if (typeof description !== "string") throw invalid(file, "its description must be text");
    const line = description.replace(/\s+/g, " ").trim();
    if (line.length > limits.skillDescription) {
      throw invalid(file, `its description has ${line.length} characters, over ${limits.skillDescription}`);
    }
    if (line !== "") defaults.description = line;
  }
  if (tags !== undefined && tags !== null) {
    const list = typeof tags === "string" ? tags.split(",") : tags;
    if (!Array.isArray(list) || list.some((tag) => typeof tag !== "string" && typeof tag !== "number")) {
      throw invalid(file, "its tags must be a list of texts");
    }
    defaults.tags = [...new Set(list.map((tag) => String(tag).trim().toLowerCase()))].filter(
      (tag) => tag !== "",
    );
    if (defaults.tags.length > limits.tagsPerSkill)
      throw invalid(file, `it has over ${limits.tagsPerSkill} tags`);
    const long = defaults.tags.find((tag) => tag.length > limits.tagLength);
    if (long !== undefined)
      throw invalid(file, `its tag "${long.slice(0, 20)}…" is over ${limits.tagLength} characters`);
  }
  return defaults;
}

/** The first paragraph as one plain line: what stands in where nothing describes a skill. */
export function firstParagraph(body: string): string {
  const block =
    body.split(/\r?\n[ \t]*\r?\n/).find((part) => part.trim() !== "" && !/^\s*(#|```|---|<!--)/.test(part)) ??
    "";
  // Cut before it is searched: many opening brackets without their closing ones take the square of the length.
  const plain = block
    .slice(0, 2 * limits.skillDescription)
    .replace(/[*_`>#]|!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return plain.slice(0, limits.skillDescription);
}

function invalid(file: string, reason: string): ServiceError {
  return new ServiceError("content_invalid", `${file} can't be published: ${reason}.`, {
    kind: "content",
    ref: file,
  });
}
