import { sentenceOf } from "../../../../../contract/checks/skill-rules.ts";
import { FrontmatterError, splitFrontmatter } from "../../../../../contract/document/frontmatter.ts";

export interface ReadText {
  fields: [name: string, value: string][];
  body: string;
  /** Problem of frontmatter that can't be read, as lint reports it; the text is then shown whole. */
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
    if (!(error instanceof FrontmatterError)) throw error;
    return { fields: [], body: source, problem: `Line ${error.line}: ${sentenceOf(error)}` };
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
