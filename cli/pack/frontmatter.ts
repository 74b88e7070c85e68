/** The name in a text's frontmatter. The service validates the rest. */

const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /(?<![^\n])---[ \t]*(?:\r?\n|$)/;
const fenceLength = 64 * 1024;

/** A text's first fence and frontmatter; undefined without frontmatter, or with an oversized one. */
export function splitFence(text: string): { opening: string; yaml: string } | undefined {
  const first = opening.exec(text)?.[0];
  if (first === undefined) return undefined;
  const rest = text.slice(first.length);
  const end = closing.exec(rest);
  if (end === null || end.index > fenceLength) return undefined;
  return { opening: first, yaml: rest.slice(0, end.index) };
}

/** The name, parsed as by the service. Undefined if there is no frontmatter, no name, or invalid YAML. */
export async function frontmatterName(text: string): Promise<string | undefined> {
  if (!/^\uFEFF?---/.test(text)) return undefined;
  const { readSkillText } = await import("../../contract/checks/skill-rules.ts");
  return readSkillText(text, "markdown").defaults.name;
}

const required = ["name", "description"] as const;

/** The name in a package's SKILL.md, and the fields that it has not. Nothing is missing in a text. */
export async function packageFieldsOf(
  text: string | undefined,
): Promise<{ name?: string; missing: readonly (typeof required)[number][] }> {
  if (text === undefined) return { missing: [] };
  if (!/^\uFEFF?---/.test(text)) return { missing: required };
  const { readSkillText } = await import("../../contract/checks/skill-rules.ts");
  const { defaults } = readSkillText(text, "package");
  return { name: defaults.name, missing: required.filter((field) => defaults[field] === undefined) };
}
