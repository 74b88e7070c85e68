/** The parts of a TOML file: tables and values by their full path, with the lines that they take. */
import { type AST, parseTOML } from "toml-eslint-parser";
import { UnusableFile, lineEnd, lineStart, positionText } from "./text.ts";

/** A table's header with its values, or one value. */
export interface TomlPart {
  path: readonly string[];
  /** A value inside an inline table has no lines of its own. */
  kind: "table" | "tables" | "value" | "inline";
  /** Offsets of the whole part. */
  start: number;
  end: number;
  value?: AST.TOMLContentNode;
}

/** Every part, outer ones first. Throws `UnusableFile` without quoting the text. */
export function partsOf(text: string): TomlPart[] {
  const parts: TomlPart[] = [];
  for (const node of parse(text).body[0].body) {
    if (node.type === "TOMLKeyValue") {
      addValue(parts, [], node, "value");
      continue;
    }
    const path = node.resolvedKey.map(String);
    const kind = node.kind === "array" ? "tables" : "table";
    parts.push({ path, kind, start: node.range[0], end: node.range[1] });
    for (const value of node.body) addValue(parts, path, value, "value");
  }
  return parts;
}

function addValue(
  parts: TomlPart[],
  table: readonly string[],
  node: AST.TOMLKeyValue,
  kind: "value" | "inline",
): void {
  const path = [...table, ...node.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value))];
  parts.push({ path, kind, start: node.range[0], end: node.range[1], value: node.value });
  if (node.value.type === "TOMLInlineTable")
    for (const inner of node.value.body) addValue(parts, path, inner, "inline");
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (error instanceof RangeError) throw new UnusableFile("it is nested too deeply");
    const { lineNumber, column } = error as { lineNumber?: unknown; column?: unknown };
    const problem = "it is not valid TOML";
    if (typeof lineNumber !== "number") throw new UnusableFile(`${problem}: repair it`);
    const position = { line: lineNumber, column: Number(column) + 1 };
    throw new UnusableFile(`${problem} (${positionText(position)}): repair it`, position);
  }
}

/** Whether a path is another one, or below it. */
export function isBelow(path: readonly string[], other: readonly string[]): boolean {
  return other.every((name, i) => path[i] === name);
}

/** The lines of a part, with the rest of its last line. */
export function linesOf(
  text: string,
  { start, end }: Pick<TomlPart, "start" | "end">,
): [from: number, to: number] {
  return [lineStart(text, start), lineEnd(text, end)];
}

/** A value as plain data: texts, booleans, and lists and tables of them; anything else as its text in the file. */
export function plainValue(text: string, node: AST.TOMLContentNode): unknown {
  if (node.type === "TOMLArray") return node.elements.map((element) => plainValue(text, element));
  if (node.type === "TOMLInlineTable") return undefined;
  if (node.kind === "string" || node.kind === "boolean") return node.value;
  return { text: text.slice(...node.range) };
}
