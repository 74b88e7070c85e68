/** The name in a text's frontmatter. The service validates the rest. */

const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /(?<![^\n])---[ \t]*(?:\r?\n|$)/;
const fenceLength = 64 * 1024;

/** A text's frontmatter and body; undefined without frontmatter, or with an oversized one. */
export function splitFence(text: string): { yaml: string; body: string } | undefined {
  const start = opening.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const rest = text.slice(start);
  const end = closing.exec(rest);
  if (end === null || end.index > fenceLength) return undefined;
  return { yaml: rest.slice(0, end.index), body: rest.slice(end.index + end[0].length) };
}

/** The name, parsed as by the service. Undefined if there is no frontmatter, no name, or invalid YAML. */
export async function frontmatterName(text: string): Promise<string | undefined> {
  if (!/^\uFEFF?---/.test(text)) return undefined;
  const { readSkillText } = await import("../../contract/skill-rules.ts");
  return readSkillText(text, "markdown").defaults.name;
}

export async function packageNameOf(text: string | undefined): Promise<string | undefined> {
  return text === undefined ? undefined : frontmatterName(text);
}
