/**
 * The YAML frontmatter of a SKILL.md or RULE.md: split off and read with suspicion, by the service and by the client
 * alike. Only YAML between `---` lines is read. Nothing in it is ever run, and aliases are refused.
 */
import { LineCounter, type Scalar, isMap, isScalar, parseDocument } from "yaml";
import { utf8Length } from "./package-rules.ts";

/** Far over any real one: the time to read hostile YAML grows with the square of its length. */
const frontmatterBytes = 8 * 1024;

export const frontmatterRules = [
  "frontmatter_language",
  "frontmatter_open",
  "frontmatter_too_large",
  "frontmatter_yaml",
  "frontmatter_key",
] as const;

/** Frontmatter that can't be read. `reason` is a clause without a full stop, about "it", the file. */
export class FrontmatterError extends Error {
  override readonly name = "FrontmatterError";
  readonly rule: (typeof frontmatterRules)[number];
  readonly reason: string;
  /** Of the file, from 1. */
  readonly line: number;

  constructor(rule: FrontmatterError["rule"], reason: string, line = 1) {
    super(reason);
    this.rule = rule;
    this.reason = reason;
    this.line = line;
  }
}

export interface SplitText {
  /** The keys as they were written, in their order; undefined where there is no frontmatter. */
  fields: Map<string, unknown> | undefined;
  /** The line of each key, from 1. */
  lines: ReadonlyMap<string, number>;
  /** Everything after the frontmatter, without the blank lines that follow it. */
  body: string;
  /** The body's first line, from 1. */
  bodyLine: number;
}

/** Splits a text into frontmatter and body. Throws `FrontmatterError` for frontmatter that can't be read. */
export function splitFrontmatter(source: string): SplitText {
  const text = source.replace(/^\uFEFF/, "");
  const opening = /^---([^\r\n]*)(\r?\n|$)/.exec(text);
  if (!opening || opening[1]!.startsWith("-"))
    return { fields: undefined, lines: new Map(), body: text, bodyLine: 1 };
  if (opening[1]!.trim() !== "") {
    throw new FrontmatterError(
      "frontmatter_language",
      `"---${opening[1]!.trim()}" opens frontmatter of another language: only YAML between --- lines is read`,
    );
  }
  const rest = text.slice(opening[0].length);
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!closing) throw new FrontmatterError("frontmatter_open", "its frontmatter has no closing --- line");
  const yaml = rest.slice(0, closing.index);
  if (utf8Length(yaml) > frontmatterBytes)
    throw new FrontmatterError("frontmatter_too_large", `its frontmatter is over ${frontmatterBytes} bytes`);
  const after = rest.slice(closing.index + closing[0].length);
  const body = after.replace(/^(?:[ \t]*\r?\n)+/, "");
  const head = text.slice(0, text.length - body.length);
  return { ...readYaml(yaml), body, bodyLine: head.split("\n").length };
}

function readYaml(yaml: string): Pick<SplitText, "lines"> & { fields: Map<string, unknown> } {
  const lines = new Map<string, number>();
  const counter = new LineCounter();
  /** The opening line comes before the first one of the YAML. */
  const lineAt = (offset: number | undefined) =>
    offset === undefined ? 1 : counter.linePos(offset).line + 1;
  let line = 1;
  let value: unknown;
  try {
    const document = parseDocument(yaml, {
      schema: "core",
      uniqueKeys: true,
      merge: false,
      prettyErrors: true,
      lineCounter: counter,
    });
    const [error] = document.errors;
    if (error) {
      line = lineAt(error.pos[0]);
      throw error;
    }
    if (document.contents === null) return { fields: new Map(), lines };
    if (!isMap(document.contents)) throw new Error("it is not a mapping of keys to values");
    for (const { key } of document.contents.items) {
      line = lineAt(isScalar(key) ? key.range?.[0] : undefined);
      if (!isScalar(key) || typeof (key as Scalar).value !== "string")
        throw new Error("its keys must be plain text");
      lines.set((key as Scalar<string>).value, line);
    }
    line = 1;
    value = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0]!.replace(/:$/, "");
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
