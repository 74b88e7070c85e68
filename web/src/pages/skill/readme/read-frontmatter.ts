import { splitFrontmatter } from "../../../../../contract/frontmatter.ts";

export interface ReadText {
  fields: [name: string, value: string][];
  body: string;
  /** Problem of frontmatter that can't be read; the text is then shown whole. */
  problem?: string;
}

/** Fields of the frontmatter as text, and the text after it. */
export function readFrontmatter(source: string): ReadText {
  try {
    const { fields, body } = splitFrontmatter(source);
    return {
      body,
      fields: [...(fields ?? new Map<string, unknown>())].map(([name, value]) => [name, textOf(value)]),
    };
  } catch (error) {
    return { fields: [], body: source, problem: error instanceof Error ? error.message : String(error) };
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (value instanceof Map)
    return [...(value as Map<unknown, unknown>)]
      .map(([key, one]) => `${textOf(key)}: ${textOf(one)}`)
      .join("; ");
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}
