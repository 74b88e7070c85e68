/**
 * The YAML frontmatter of a SKILL.md or RULE.md: split off and read with suspicion, by the service and by the client
 * alike. Only YAML between `---` lines is read. Nothing in it is ever run, and aliases are refused.
 */
import { LineCounter, type Scalar, isMap, isScalar } from "yaml";
import { utf8Length } from "./package-rules.ts";
import { sizeText } from "./size-text.ts";
import { YamlLimitError, parseYaml, yamlLimits } from "./yaml.ts";

export const frontmatterRules = [
  "frontmatter_language",
  "frontmatter_open",
  "frontmatter_too_large",
  "frontmatter_too_deep",
  "frontmatter_yaml",
  "frontmatter_key",
] as const;

/** Frontmatter that can't be read. `reason` is a clause without a full stop, about "it", the file. */
export class FrontmatterError extends Error {
  override readonly name = "FrontmatterError";
  readonly rule: (typeof frontmatterRules)[number];
  readonly reason: string;
  /** Line in the file, from 1. */
  readonly line: number;

  constructor(rule: FrontmatterError["rule"], reason: string, line = 1) {
    super(reason);
    this.rule = rule;
    this.reason = reason;
    this.line = line;
  }
}

export interface SplitText {
  /** Everything before the body, byte order mark and blank lines included: `head + body` is the text. */
  head: string;
  /** The keys in their original order and spelling; undefined without frontmatter. */
  fields: Map<string, unknown> | undefined;
  /** The line of each key, from 1. */
  lines: ReadonlyMap<string, number>;
  /** Everything after the frontmatter, without the blank lines that follow it. */
  body: string;
  /** The body's first line, from 1. */
  bodyLine: number;
}

/** A text cut at the fences of its frontmatter: one after the other, the parts are the text. */
export interface FencedText {
  /** The first fence with its line end, after a byte order mark if there is one. */
  opening: string;
  yaml: string;
  closing: string;
  /** The blank lines before the body. */
  blank: string;
  body: string;
}

const openingFence = /^\uFEFF?---[^\S\r\n]*(?:\r?\n|$)/;
/** Without the flag `m`, which takes a carriage return and Unicode's line separators for line ends as well. */
const closingFence = /(?<![^\n])---[ \t]*(?:\r?\n|$)/;
const blankLines = /^(?:[ \t]*\r?\n)+/;

/** Undefined for a text that does not begin with a fence, or has no second one. */
export function cutFences(text: string): FencedText | undefined {
  const opening = openingFence.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const rest = text.slice(opening.length);
  const close = closingFence.exec(rest);
  if (close === null) return undefined;
  const [closing] = close;
  const after = rest.slice(close.index + closing.length);
  const blank = blankLines.exec(after)?.[0] ?? "";
  return { opening, yaml: rest.slice(0, close.index), closing, blank, body: after.slice(blank.length) };
}

/** Splits a text into frontmatter and body. Throws `FrontmatterError` for frontmatter that can't be read. */
export function splitFrontmatter(source: string): SplitText {
  const bom = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  const line = /^---([^\r\n]*)/.exec(source.slice(bom.length));
  if (!line || line[1]!.startsWith("-"))
    return {
      fields: undefined,
      lines: new Map(),
      head: bom,
      body: source.slice(bom.length),
      bodyLine: 1,
    };
  const language = line[1]!.trim();
  if (language !== "") {
    throw new FrontmatterError(
      "frontmatter_language",
      `"---${language}" opens frontmatter of another language: only YAML between --- lines is read`,
    );
  }
  const parts = cutFences(source);
  if (!parts) throw new FrontmatterError("frontmatter_open", "its frontmatter has no closing --- line");
  const { body } = parts;
  const head = source.slice(0, source.length - body.length);
  return { ...readYaml(parts.yaml), head, body, bodyLine: head.split("\n").length };
}

/** Parser options for frontmatter, for all of its readers. */
export const yamlOptions = {
  schema: "core",
  uniqueKeys: true,
  merge: false,
  // Each of thousands of errors would be given its position and an excerpt of the text; the first one is reported.
  prettyErrors: false,
} as const;

function readYaml(yaml: string): Pick<SplitText, "lines"> & { fields: Map<string, unknown> } {
  const lines = new Map<string, number>();
  const counter = new LineCounter();
  /** The opening line comes before the first one of the YAML. */
  const lineAt = (offset = 0) => counter.linePos(offset).line + 1;
  let line = 1;
  let value: unknown;
  try {
    const document = parseYaml(yaml, { ...yamlOptions, lineCounter: counter });
    const [error] = document.errors;
    if (error) {
      line = lineAt(error.pos[0]);
      throw new Error(`${error.message.replace(/:$/, "")} (line ${line})`);
    }
    if (document.contents === null) return { fields: new Map(), lines };
    if (!isMap(document.contents)) throw new Error("it is not a mapping of keys to values");
    for (const { key } of document.contents.items) {
      line = isScalar(key) ? lineAt(key.range?.[0]) : 1;
      if (!isScalar(key) || typeof (key as Scalar).value !== "string")
        throw new Error("its keys must be plain text");
      lines.set((key as Scalar<string>).value, line);
    }
    line = 1;
    value = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
  } catch (error) {
    if (error instanceof YamlLimitError) throw beyondLimit(error, yaml);
    const reason = (error as Error).message;
    throw new FrontmatterError(
      "frontmatter_yaml",
      `its frontmatter is not usable YAML: ${/alias/i.test(reason) ? "aliases are not allowed" : reason}`,
      line,
    );
  }
  const fields = value as Map<string, unknown>;
  for (const key of fields.keys()) {
    if (["__proto__", "constructor", "prototype"].includes(key))
      throw new FrontmatterError("frontmatter_key", `its frontmatter has the key "${key}"`, lines.get(key));
  }
  return { fields, lines };
}

function beyondLimit({ limit }: YamlLimitError, yaml: string): FrontmatterError {
  return limit === "bytes"
    ? new FrontmatterError(
        "frontmatter_too_large",
        `its frontmatter has ${sizeText(utf8Length(yaml))}, over ${sizeText(yamlLimits.bytes)}`,
      )
    : new FrontmatterError(
        "frontmatter_too_deep",
        `its frontmatter is nested over ${yamlLimits.depth} levels deep`,
      );
}
