/** Rules in the form of a tool's own files, for installs and for marketplaces. */
import { firstParagraph } from "./document/first-paragraph.ts";
import { yamlText } from "./document/yaml-text.ts";
import { scopeOf, type SkillText } from "./rule-scope.ts";
import { cutAtWord } from "./text/cut-text.ts";

const descriptionMax = 1024;

/**
 * The `.mdc` file of Cursor. A skill applies by its description; a rule as its keys say, by default always or to its
 * patterns.
 */
export function cursorRule(item: SkillText): string {
  const { mode, patterns } = scopeOf(item, "globs") ?? {
    mode: "relevant",
    patterns: [],
  };
  const head = [
    // The tool applies a rule with a description where that fits, unless it has patterns.
    mode === "asked" ? "description:" : `description: ${yamlText(describe(item))}`,
    ["always", "files"].includes(mode) && patterns.length > 0 ? `globs: ${patterns.join(",")}` : "globs:",
    `alwaysApply: ${mode === "always"}`,
  ];
  return renderText(head, item.body);
}

/** A line that is never empty: several tools ignore a skill without a description. */
export function describe(item: SkillText): string {
  const given = oneLine(item.description);
  const text = given === "" ? firstParagraph(item.body) : given;
  return cutAtWord(text === "" ? oneLine(item.name) : text, descriptionMax);
}

/** Frontmatter, a blank line, the unchanged body, and one newline at the end. */
export function renderText(frontmatter: readonly string[], body: string): string {
  const head = frontmatter.length === 0 ? "" : `---\n${frontmatter.join("\n")}\n---\n\n`;
  return `${head}${trimEnd(body)}\n`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Without a pattern, whose time would grow with the square of the longest run of spaces. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
