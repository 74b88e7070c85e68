/** Corrections of YAML that can't be read. One is only suggested if it makes the entry readable. Pure. */
import { isMap } from "yaml";
import { isUsedKey } from "../document/known-keys.ts";
import { YamlLimitError, parseYaml, yamlOptions } from "../document/yaml.ts";
import {
  joinedValue,
  lineOf,
  quoted,
  quotedIfNeeded,
  readLine,
  subjectOf,
  writeInstead,
} from "./yaml-lines.ts";
import { type YamlFault, referenceIn } from "./yaml-references.ts";

/** Characters that begin a token of YAML: reading many of them takes long, and corrections are read again. */
const indicators = /[[\]{}?:,\-&*!%|>'"#@`\n]/g;
const maxIndicators = 400;

export const isCostly = (yaml: string) => (yaml.match(indicators)?.length ?? 0) > maxIndicators;

/** A key at the top of the YAML, with the lines below that belong to it. */
interface Entry {
  /** Its first line, from 1. */
  first: number;
  lines: string[];
}

export function entriesOf(yaml: string): Entry[] {
  const entries: Entry[] = [];
  for (const [i, text] of yaml.split(/\r?\n/).entries()) {
    const { indent, key } = readLine(text);
    const last = entries.at(-1);
    if (last === undefined || (key !== undefined && indent === ""))
      entries.push({ first: i + 1, lines: [text] });
    else last.lines.push(text);
  }
  return entries;
}

/** Entries that are read one by one, to find the one with the error. */
export const maxEntries = 200;
/** Corrections that are tried for one entry: a hostile one could have many lines that each fit some of them. */
const maxAttempts = 10;

interface Correction {
  reason: string;
  /** The lines from `from` up to `to` are replaced by the text. */
  from: number;
  to: number;
  text: string;
}

export function correctionOf({ first, lines }: Entry): YamlFault | undefined {
  const at = errorLine(lines.join("\n")) ?? 0;
  const order = [...lines.keys()].toSorted((a, b) => Number(a < at) - Number(b < at) || a - b);
  let attempts = 0;
  for (const { reason, from, to, text } of correctionsOf(lines, order)) {
    if (++attempts > maxAttempts) return undefined;
    const error = errorLine([...lines.slice(0, from), text, ...lines.slice(to)].join("\n"));
    if (error === undefined || error > from)
      return {
        reason,
        remedy: writeInstead(text),
        line: first + (to - from > 1 ? to - 1 : from),
      };
  }
  return undefined;
}

function* correctionsOf(lines: readonly string[], order: readonly number[]): Generator<Correction> {
  for (const i of order) for (const one of correctLine(lines, i)) yield { ...one, from: i, to: i + 1 };
  const head = readLine(lines[0]!);
  if (head.key === undefined) return;
  const end = lines.findLastIndex((text) => text.trim() !== "") + 1;
  if (end < 2) return;
  const reason =
    head.value === undefined || lines[1]!.startsWith(" ")
      ? `${subjectOf(head.key)} has several lines that YAML does not read as one text`
      : "its frontmatter has a line that is neither key: value nor indented as part of the value above";
  const value = joinedValue([head.value ?? "", ...lines.slice(1, end)]);
  yield { reason, from: 0, to: end, text: `${head.key}: ${quoted(value)}` };
}

/** Corrections of one line, the likeliest first. */
function* correctLine(lines: readonly string[], i: number): Generator<Pick<Correction, "reason" | "text">> {
  const text = lines[i]!;
  const { indent, dash, key, value, glued } = readLine(text);
  const isKey = key !== undefined;
  const above = i === 0 ? undefined : readLine(lines[i - 1]!);
  const entry = (spaces: string) =>
    isKey
      ? `${spaces}${dash}${key}: ${quotedIfNeeded(value ?? glued ?? "")}`.trimEnd()
      : spaces + text.trim();
  if (indent.includes("\t")) {
    const reason = "its frontmatter has a line that is indented with a tab";
    yield { reason, text: entry(indent.replaceAll("\t", "  ")) };
    if (above !== undefined) yield { reason, text: entry(above.indent) };
  }
  if (isKey && glued !== undefined) yield { ...spaceMissing(key), text: entry(indent) };
  const [, word = "", rest] = /^([a-z][a-z_-]*)[ \t]+(\S.*)$/.exec(text) ?? [];
  if (rest !== undefined && isUsedKey(word))
    yield {
      reason: `its frontmatter has no ":" after "${word}"`,
      text: `${word}: ${quotedIfNeeded(rest.trim())}`,
    };
  if (/^\s*-[^\s-]/.test(text))
    yield {
      reason: 'its frontmatter has no space after a "-" that begins a line',
      text: text.replace(/-(?=\S)/, "- "),
    };
  const isSibling = above?.value !== undefined && indent !== above.indent;
  if (isKey && isSibling && (i > 1 || isUsedKey(key)))
    yield {
      reason: `${subjectOf(key)} is not indented as the line above`,
      text: entry(above.indent),
    };
  if (isKey && value !== undefined)
    for (const [what, replaced] of correctValue(value))
      yield {
        reason: `${subjectOf(key)} ${what}`,
        text: `${indent}${dash}${key}: ${replaced}`,
      };
  const head = readLine(lines[0]!).value;
  if (!isKey && head !== undefined && /^[|>]/.test(head) && !text.startsWith(" "))
    yield {
      reason: "its frontmatter has a line that is not indented as the text above",
      text: `  ${text}`,
    };
}

/** Faults of a value, each with the value to write. */
function* correctValue(value: string): Generator<readonly [what: string, replaced: string]> {
  const first = value[0]!;
  if (first === '"' || first === "'") {
    const isEnclosed = value.length > 1 && value.endsWith(first);
    const isOpen = value.indexOf(first, 1) < 0;
    if (isEnclosed && first === '"' && value.includes("\\"))
      yield ["has a backslash in double quotation marks that escapes nothing", quoted(value.slice(1, -1))];
    if (isEnclosed)
      yield ["has quotation marks inside of quotation marks of the same kind", quoted(value.slice(1, -1))];
    else if (isOpen)
      yield [`opens a quotation mark (${first}) that is not closed`, quoted(value.slice(1).trim())];
    else yield ["has text after a closing quotation mark", quoted(value)];
    return;
  }
  const afterSign = value.replace(/^[|>][-+\d]*\s*/, "");
  if (first === "|" || first === ">") {
    if (afterSign !== "") yield [`has text in the same line as "${first}"`, quoted(afterSign)];
  } else if (first === "[" || first === "{") {
    const closing = first === "[" ? "]" : "}";
    const isClosed = value.endsWith(closing);
    if (!value.includes(closing)) yield [`opens a bracket (${first}) that is not closed`, value + closing];
    if (!isClosed) yield [`begins with "${first}", which begins a list or mapping in YAML`, quoted(value)];
  } else if (/^[@`%*&!,}\]]/.test(value))
    yield [`begins with "${first}", which YAML reserves`, quoted(value)];
  else if (/^[-?](?:\s|$)/.test(value))
    yield [`begins with "${first} ", which means something else in YAML`, quoted(value)];
  else if (/:(?:\s|$)/.test(value)) {
    const what = /:\s/.test(value) ? 'contains ": "' : 'ends with ":"';
    yield [`${what}, which YAML reads as the end of another key`, quoted(value)];
  }
}

export const spaceMissing = (key: string) => ({
  reason: `its frontmatter has no space after "${key}:"`,
});

/** The line of the first error, from 0; undefined if the text can be read. */
export function errorLine(text: string): number | undefined {
  try {
    const document = parseYaml(text, yamlOptions);
    const [error] = document.errors;
    if (error) return lineOf(text, error.pos[0]) - 1;
    const isMapping = document.contents === null || isMap(document.contents);
    return isMapping && referenceIn(text, document) === undefined ? undefined : 0;
  } catch (error) {
    if (error instanceof YamlLimitError) return 0;
    throw error;
  }
}
