/**
 * Edits of TOML files, one table at a time. All bytes outside the lines of that table stay; the result is parsed, and
 * every other value compared, before it is returned.
 */
import { isDeepStrictEqual } from "node:util";
import { tomlKey, tomlTable, tomlValue } from "../../../contract/mcp-entries/toml.ts";
import type { McpEntry, McpEntryValue } from "../../../contract/mcp-entries/tool.ts";
import { type Change, type Edited, type Plain, applyChange } from "./change.ts";
import { UnusableFile, eolOf, indentAt, isBlank, lineEnd, lineStart, splice, unusableAt } from "./text.ts";
import { type TomlPart, isBelow, linesOf, partsOf, plainValue } from "./toml-lines.ts";

/** The tables and texts as objects without prototypes. Throws `UnusableFile`. */
export function readToml(text: string): Plain {
  const root = Object.create(null) as Plain;
  for (const { path, kind, value } of partsOf(text)) {
    const hasFields = value === undefined || isInline(value);
    if (kind === "tables") continue;
    let at = root;
    for (const name of path.slice(0, -1)) at = (at[name] ??= Object.create(null)) as Plain;
    const name = path.at(-1)!;
    if (hasFields) at[name] ??= Object.create(null);
    else at[name] = plainValue(text, value);
  }
  return root;
}

/** `container`: the path of the table of entries. A change concerns one entry, or one of its values. */
export function editToml(text: string, container: readonly string[], changes: readonly Change[]): Edited {
  const inline = partsOf(text).find(({ path, value }) => isSame(path, container) && value !== undefined);
  if (inline !== undefined)
    throw unusableAt(
      text,
      inline.start,
      `"${container.join(".")}" in it is an inline table`,
      `write it as tables, [${container.join(".")}.<name>]`,
    );
  let edited = text;
  for (const change of changes) edited = editOnce(edited, container.length + 1, change);
  verify(text, edited, changes);
  return { text: edited, undo: [] };
}

function editOnce(text: string, entryDepth: number, change: Change): string {
  const { path } = change;
  if (change.kind === "remove") return removeAt(text, path);
  if (change.kind !== "set") throw new UnusableFile("its tool has no list of inputs");
  if (path.length === entryDepth) return append(removeAt(text, path), path, change.value as McpEntry);
  const parts = partsOf(text);
  const present = parts.find((part) => isSame(part.path, path));
  if (present?.value !== undefined && !isInline(present.value))
    return splice(text, [
      {
        at: present.value.range[0],
        length: lengthOf(present.value),
        text: tomlValue(change.value as McpEntryValue),
      },
    ]);
  if (present !== undefined) return insertTable(removeAt(text, path), path, change.value as McpEntry);
  return isObject(change.value)
    ? insertTable(text, path, change.value as McpEntry)
    : insertValue(text, path, change.value as McpEntryValue);
}

function isInline({ type }: { type: string }): boolean {
  return type === "TOMLInlineTable";
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}

function lengthOf({ range: [from, to] }: { range: [number, number] }): number {
  return to - from;
}

function isSame(path: readonly string[], other: readonly string[]): boolean {
  return path.length === other.length && isBelow(path, other);
}

/** Appends a table after a blank line, without a line end if the file has none at its end. */
function append(text: string, path: readonly string[], entry: McpEntry): string {
  const eol = eolOf(text);
  const block = tomlTable(path, entry).replaceAll("\n", eol);
  if (text === "") return block;
  return text.endsWith("\n") ? text + eol + block : text + eol + eol + block.slice(0, -eol.length);
}

/** A table below an entry, after the values of the entry. */
function insertTable(text: string, path: readonly string[], table: McpEntry): string {
  const parent = tableAt(text, path.slice(0, -1));
  return insertAfter(text, parent.end, eolOf(text) + tomlTable(path, table).replaceAll("\n", eolOf(text)));
}

function insertValue(text: string, path: readonly string[], value: McpEntryValue): string {
  const table = tableAt(text, path.slice(0, -1));
  const line = `${indentAt(text, table.start)}${tomlKey(path.at(-1)!)} = ${tomlValue(value)}${eolOf(text)}`;
  return insertAfter(text, table.end, line);
}

/** Inserts whole lines after the line that has the end of a part. */
function insertAfter(text: string, end: number, lines: string): string {
  const at = lineEnd(text, end);
  if (text[at - 1] === "\n") return splice(text, [{ at, length: 0, text: lines }]);
  const eol = eolOf(text);
  return splice(text, [{ at, length: 0, text: eol + lines.slice(0, -eol.length) }]);
}

function tableAt(text: string, path: readonly string[]): TomlPart {
  const found = partsOf(text).find((part) => part.kind === "table" && isSame(part.path, path));
  if (found === undefined) {
    const part = partsOf(text).find((one) => isBelow(one.path, path));
    throw unusableAt(
      text,
      part?.start ?? 0,
      `"${path.join(".")}" in it is not a table of its own`,
      "change it by hand",
    );
  }
  return found;
}

/** Removes a path with everything below it, and the blank line before each removed table. */
function removeAt(text: string, path: readonly string[]): string {
  const parts = partsOf(text);
  const list = parts.find(
    (part) =>
      part.kind === "tables" && isBelow(path, part.path.slice(0, path.length)) && isBelow(part.path, path),
  );
  if (list !== undefined)
    throw unusableAt(text, list.start, `"${path.join(".")}" in it is a list of tables`, "remove it by hand");
  const own = parts.filter((part) => isBelow(part.path, path));
  const inline = own.find((part) => part.kind === "inline" && !own.some((outer) => holds(outer, part)));
  if (inline !== undefined)
    throw unusableAt(
      text,
      inline.start,
      `"${path.join(".")}" in it is in an inline table`,
      "remove it by hand",
    );
  const outer = own.filter((part) => !own.some((other) => other !== part && holds(other, part)));
  const rest = outer.toReversed().reduce((left, part) => removeLines(left, part), text);
  return own[0]?.start === 0 ? withoutSeparator(rest, path.slice(0, -1)) : rest;
}

/** Without the blank line that was between a removed first table and the next one of the same container. */
function withoutSeparator(text: string, container: readonly string[]): string {
  const end = lineEnd(text, 0);
  const next = partsOf(text)[0];
  const isSeparator =
    isBlank(text.slice(0, end)) && next !== undefined && lineStart(text, next.start) === end;
  return isSeparator && isBelow(next.path, container) ? text.slice(end) : text;
}

function holds(outer: TomlPart, inner: TomlPart): boolean {
  return outer !== inner && outer.start <= inner.start && inner.end <= outer.end;
}

function removeLines(text: string, part: TomlPart): string {
  let [from, to] = linesOf(text, part);
  if (part.kind === "table" && from > 0) {
    const before = lineStart(text, from - 1);
    if (isBlank(text.slice(before, from))) from = before;
  }
  const isUnended = to === text.length && !text.endsWith("\n");
  const rest = text.slice(0, from);
  return (isUnended ? rest.replace(/\r?\n$/, "") : rest) + text.slice(to);
}

/** Every value outside the changed paths has its bytes, and those inside are as intended. */
function verify(before: string, after: string, changes: readonly Change[]): void {
  const isChanged = (path: readonly string[]) => changes.some((change) => isBelow(path, change.path));
  const others = (text: string) =>
    partsOf(text)
      .filter(({ path }) => !isChanged(path))
      .map((part) => [part.path, part.kind, bytesOf(text, part)]);
  const wanted = readToml(before);
  for (const change of changes) applyChange(wanted, change);
  const isWanted = isDeepStrictEqual(sorted(wanted), sorted(readToml(after)));
  if (!isWanted || !isDeepStrictEqual(others(before), others(after)))
    throw new UnusableFile("it can't be edited without changing other content");
}

/** Bytes of a value. Those of tables are compared value by value. */
function bytesOf(text: string, { value }: TomlPart): string | undefined {
  return value === undefined || isInline(value) ? undefined : text.slice(...value.range);
}

/** Objects as lists of their fields, in one order and without empty ones: a table exists with its first value. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return fields.length === 0 ? undefined : { fields };
}
