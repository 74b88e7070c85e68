/** Values and tables as TOML. */
import type { McpEntry, McpEntryValue } from "./tool.ts";

/** A table and its sub-tables, without a blank line before it, with `\n`. */
export function tomlTable(path: readonly string[], entry: McpEntry): string {
  const tables = Object.entries(entry).filter((field): field is [string, Readonly<Record<string, string>>] =>
    isTable(field[1]),
  );
  const lines = Object.entries(entry)
    .filter(([, value]) => !isTable(value))
    .map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}\n`);
  return [
    `[${tomlPath(path)}]\n${lines.join("")}`,
    ...tables.map(([key, table]) => tomlTable([...path, key], table)),
  ].join("\n");
}

function isTable(value: McpEntryValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && !Array.isArray(value);
}

function tomlPath(path: readonly string[]): string {
  return path.map(tomlKey).join(".");
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlText(key);
}

export function tomlValue(value: McpEntryValue): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return tomlText(value);
  if (!isTable(value)) return `[${value.map(tomlText).join(", ")}]`;
  const fields = Object.entries(value).map(([key, field]) => `${tomlKey(key)} = ${tomlText(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** A JSON text is a basic string of TOML, except that TOML allows no DEL. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
}
