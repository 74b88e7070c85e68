/** The name that a text gives itself in its frontmatter. The service judges the rest. */

const fence = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
const fenceBytes = 64 * 1024;

/** A text's frontmatter and what follows it; undefined where there is none, or none that anybody would write. */
export function splitFence(text: string): { yaml: string; body: string } | undefined {
  const match = text.startsWith("---") || text.startsWith("\uFEFF---") ? fence.exec(text) : null;
  if (match === null || match[1]!.length > fenceBytes) return undefined;
  return { yaml: match[1]!, body: text.slice(match.index + match[0].length) };
}

/** As the service reads it. Undefined where there is no frontmatter, no name, or nothing readable. */
export async function frontmatterName(text: string): Promise<string | undefined> {
  if (!/^\uFEFF?---/.test(text)) return undefined;
  const { readSkillText } = await import("../../contract/skill-rules.ts");
  return readSkillText(text, "markdown").defaults.name;
}

export async function packageNameOf(text: string | undefined): Promise<string | undefined> {
  return text === undefined ? undefined : frontmatterName(text);
}
