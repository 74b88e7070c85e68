/**
 * The YAML frontmatter of a SKILL.md or RULE.md: split off and read with suspicion, by the service and by the client
 * alike. Only YAML between `---` lines is read. Nothing in it is ever run, and aliases are refused.
 */
import { LineCounter, type Pair, type Scalar, isMap } from "yaml";
import { utf8Length } from "../checks/package-rules.ts";
import { type FenceFault, misplacedFence, unclosedFence } from "../faults/fence-faults.ts";
import { faultOfForm, faultOfNodes, faultOfYaml } from "../faults/yaml-faults.ts";
import type { YamlFault } from "../faults/yaml-references.ts";
import { sizeText } from "../text/size-text.ts";
import { YamlLimitError, parseYaml, yamlLimits, yamlOptions } from "./yaml.ts";

export const frontmatterRules = [
  "frontmatter_language",
  "frontmatter_open",
  "frontmatter_position",
  "line_ends",
  "frontmatter_too_large",
  "frontmatter_too_deep",
  "frontmatter_yaml",
  "frontmatter_key",
] as const;

interface FrontmatterFault extends Omit<FenceFault, "rule" | "line"> {
  rule: (typeof frontmatterRules)[number];
  line: number | undefined;
}

/** Frontmatter that can't be read. `reason` is a clause without a full stop, about "it", the file. */
export class FrontmatterError extends Error {
  override readonly name = "FrontmatterError";
  readonly rule: FrontmatterFault["rule"];
  readonly reason: string;
  /** A sentence with the text to write, if one is known. */
  readonly remedy: string;
  /** Line in the file, from 1. */
  readonly line: number;

  constructor({ rule, reason, remedy, line = 1 }: FrontmatterFault) {
    super(reason);
    this.rule = rule;
    this.reason = reason;
    this.remedy = remedy;
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
  const misplaced = misplacedFence(source.slice(bom.length));
  if (misplaced) throw new FrontmatterError(misplaced);
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
  if (language !== "")
    throw new FrontmatterError({
      rule: "frontmatter_language",
      reason: `"---${language}" opens frontmatter of another language, and only YAML is read`,
      remedy: "Write instead: `---`.",
      line: 1,
    });
  const unclosed = unclosedFence(source, cutFences(source)?.yaml);
  if (unclosed) throw new FrontmatterError(unclosed);
  const { body, yaml } = cutFences(source)!;
  const head = source.slice(0, source.length - body.length);
  return { ...readYaml(yaml), head, body, bodyLine: head.split("\n").length };
}

function readYaml(yaml: string): Pick<SplitText, "lines"> & { fields: Map<string, unknown> } {
  const lines = new Map<string, number>();
  const counter = new LineCounter();
  let document: ReturnType<typeof parseYaml>;
  try {
    document = parseYaml(yaml, { ...yamlOptions, lineCounter: counter });
  } catch (error) {
    throw error instanceof YamlLimitError ? beyondLimit(error, yaml) : error;
  }
  const [error] = document.errors;
  if (error) throw unreadable(faultOfYaml(yaml, { code: error.code, offset: error.pos[0] }));
  const { contents } = document;
  if (contents === null) return { fields: new Map(), lines };
  if (!isMap(contents)) throw unreadable(faultOfForm(yaml));
  const fault = faultOfNodes(yaml, document);
  if (fault) throw unreadable(fault);
  for (const { key } of contents.items as readonly Pair<Scalar<string>>[])
    // The opening line comes before the first one of the YAML.
    lines.set(key.value, counter.linePos(key.range?.[0] ?? 0).line + 1);
  const fields = document.toJS({ mapAsMap: true, maxAliasCount: 0 }) as Map<string, unknown>;
  for (const key of fields.keys()) {
    if (["__proto__", "constructor", "prototype"].includes(key))
      throw new FrontmatterError({
        rule: "frontmatter_key",
        reason: `its frontmatter has the key "${key}", which programs confuse with one of their own`,
        remedy: "Choose another name for the key.",
        line: lines.get(key),
      });
  }
  return { fields, lines };
}

/** The line of the fault is one of the YAML, which begins below the first fence. */
const unreadable = ({ line, ...fault }: YamlFault) =>
  new FrontmatterError({ rule: "frontmatter_yaml", ...fault, line: line + 1 });

function beyondLimit({ limit }: YamlLimitError, yaml: string): FrontmatterError {
  return limit === "bytes"
    ? new FrontmatterError({
        rule: "frontmatter_too_large",
        reason: `its frontmatter has ${sizeText(utf8Length(yaml))}, over ${sizeText(yamlLimits.bytes)}`,
        remedy: "Move texts from it below the frontmatter.",
        line: 1,
      })
    : new FrontmatterError({
        rule: "frontmatter_too_deep",
        reason: `its frontmatter is nested over ${yamlLimits.depth} levels deep`,
        remedy: "Write it with fewer levels.",
        line: 1,
      });
}
