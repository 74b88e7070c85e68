/**
 * Completes the frontmatter of a text by editing its source: the values that tools require are set in place, and every
 * other byte stays as it was written. A block that can't be edited this way, or that YAML 1.1 and 1.2 read differently,
 * is generated from its values. Pure.
 */
import { Document, type Pair, type Scalar, type YAMLMap, isMap, isScalar, visit } from "yaml";
import { FrontmatterError, cutFences, splitFrontmatter } from "./frontmatter.ts";
import { escapeCharacter, yamlText } from "./yaml-text.ts";
import { YamlLimitError, parseYaml, yamlOptions } from "./yaml.ts";

/**
 * Line breaks that YAML 1.1 has and the parser here does not, or the other way round: after one of them, another reader
 * would find a key, or a second name, that is only part of a value here.
 */
const disputedBreak = /\r(?!\n)|[\u0085\u2028\u2029]/;

/** `description` is used where the frontmatter has none. */
export interface RequiredValues {
  name: string;
  description: string;
}

/**
 * The head of a text (`SplitText.head`) with `name` as its name and with a description. A head that has both already is
 * returned unchanged, so completing it again gives the same bytes.
 */
export function completeHead(head: string, values: RequiredValues): string {
  const fields = fieldsOf(head);
  if (fields === undefined) return generateHead(values, new Map(), bomOf(head));
  if (disputedBreak.test(head)) return generateHead(values, fields, bomOf(head));
  const needsName = fields.get("name") !== values.name;
  const needsDescription = isBlank(fields.get("description"));
  if (!needsName && !needsDescription) return head;
  const parts = cutFences(head)!;
  const eol = parts.opening.endsWith("\r\n") ? "\r\n" : "\n";
  let yaml: string | undefined = parts.yaml;
  if (needsName) yaml = setValue(yaml, "name", values.name, eol);
  if (needsDescription && yaml !== undefined) yaml = setValue(yaml, "description", values.description, eol);
  const edited = yaml === undefined ? undefined : parts.opening + yaml + parts.closing + parts.blank;
  const expected = withValues(fields, {
    name: values.name,
    ...(needsDescription ? { description: values.description } : {}),
  });
  return edited !== undefined && isEqual(fieldsOf(edited), expected)
    ? edited
    : generateHead(values, fields, bomOf(head));
}

function bomOf(head: string): string {
  return head.startsWith("\uFEFF") ? "\uFEFF" : "";
}

/** The fields of a head; undefined where it has no frontmatter, or none that can be read. */
function fieldsOf(head: string): ReadonlyMap<string, unknown> | undefined {
  const body = "x";
  try {
    const split = splitFrontmatter(head + body);
    return split.head === head && split.body === body ? split.fields : undefined;
  } catch (error) {
    if (error instanceof FrontmatterError) return undefined;
    throw error;
  }
}

const isBlank = (value: unknown) => typeof value !== "string" || value.trim() === "";

function withValues(fields: ReadonlyMap<string, unknown>, values: Partial<RequiredValues>) {
  return new Map([...fields, ...Object.entries(values)]);
}

/** Whether two readings have the same values, in any order of the keys at the top. */
function isEqual(left: ReadonlyMap<string, unknown> | undefined, right: ReadonlyMap<string, unknown>) {
  const sortedText = (fields: ReadonlyMap<string, unknown>) =>
    JSON.stringify(
      [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      (_, value: unknown) => (value instanceof Map ? [...(value as Map<unknown, unknown>)] : value),
    );
  return left !== undefined && sortedText(left) === sortedText(right);
}

/** `name`, `description`, then the other keys, as a block with a blank line after it. */
export function generateHead(
  { name, description }: RequiredValues,
  fields: ReadonlyMap<string, unknown>,
  bom = "",
): string {
  const own = fields.get("description");
  const ordered = new Map<string, unknown>([
    ["name", name],
    ["description", isBlank(own) ? description : own],
    ...[...fields].filter(([key]) => key !== "name" && key !== "description"),
  ]);
  return `${bom}---\n${printYaml(ordered)}---\n\n`;
}

/** Values as YAML without a disputed line break: texts with one are quoted, and it is written as an escape. */
function printYaml(fields: ReadonlyMap<string, unknown>): string {
  const document = new Document(fields, { aliasDuplicateObjects: false, version: "1.2" });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && disputedBreak.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 }).replace(/[\u0085\u2028\u2029]/g, escapeCharacter);
}

/** The YAML with one value of its mapping set; undefined where that takes more than an edit of this value. */
function setValue(yaml: string, key: keyof RequiredValues, value: string, eol: string): string | undefined {
  let contents: ReturnType<typeof parseYaml>["contents"];
  try {
    ({ contents } = parseYaml(yaml, yamlOptions));
  } catch (error) {
    if (error instanceof YamlLimitError) return undefined;
    throw error;
  }
  if (contents === null) return `${key}: ${scalarText(value)}${eol}${yaml}`;
  if (!isMap(contents)) return undefined;
  const pair = pairOf(contents, key);
  if (pair === undefined) return insertPair(yaml, contents, `${key}: ${scalarText(value)}`, key, eol);
  if (!isScalar(pair.value) || !pair.value.range) return undefined;
  return replaceScalar(yaml, pair.value, value, eol);
}

function pairOf({ items }: YAMLMap, key: string): Pair | undefined {
  return items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function replaceScalar(yaml: string, { range, type }: Scalar, value: string, eol: string): string {
  const [start, end] = range!;
  const text = scalarText(value, type);
  if (start === end) {
    const before = /[ \t\n]$/.test(yaml.slice(0, start)) ? "" : " ";
    const after = yaml[end] === "#" ? " " : "";
    return yaml.slice(0, start) + before + text + after + yaml.slice(end);
  }
  const isBlock = yaml.slice(start, end).endsWith("\n");
  return yaml.slice(0, start) + text + (isBlock ? eol : "") + yaml.slice(end);
}

/** The name goes to the top, and the description after the name: no comment is separated from its entry. */
function insertPair(
  yaml: string,
  map: YAMLMap,
  pair: string,
  key: keyof RequiredValues,
  eol: string,
): string | undefined {
  const first = map.items[0]?.key;
  if (map.flow === true) {
    const start = (map.range?.[0] ?? 0) + 1;
    return `${yaml.slice(0, start)}${pair}${map.items.length > 0 ? ", " : ""}${yaml.slice(start)}`;
  }
  if (!isScalar(first) || !first.range) return undefined;
  const line = yaml.lastIndexOf("\n", first.range[0] - 1) + 1;
  const indent = /^ */.exec(yaml.slice(line))![0];
  const at = key === "name" ? 0 : lineAfterName(yaml, map);
  if (at === undefined) return undefined;
  return `${yaml.slice(0, at)}${indent}${pair}${eol}${yaml.slice(at)}`;
}

function lineAfterName(yaml: string, map: YAMLMap): number | undefined {
  const value = pairOf(map, "name")?.value;
  const end = isScalar(value) ? value.range?.[1] : undefined;
  if (end === undefined) return undefined;
  if (yaml[end - 1] === "\n") return end;
  const newline = yaml.indexOf("\n", end);
  return newline < 0 ? undefined : newline + 1;
}

/** Words that YAML 1.1 or 1.2 reads as something else than text. */
const reservedWord = /^(?:true|false|null|yes|no|on|off|y|n)$/;

/** A value in one line: quoted if it was before, and plain if every reader takes it for text. */
function scalarText(value: string, before?: Scalar["type"]): string {
  const isSimple = /^[a-z][a-z0-9-]*$/.test(value) && !reservedWord.test(value);
  if (before === "QUOTE_SINGLE" && /^[\x20-\x26\x28-\x7e]*$/.test(value)) return `'${value}'`;
  if (before !== "QUOTE_DOUBLE" && isSimple) return value;
  return yamlText(value);
}
