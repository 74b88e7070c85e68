/** Rendering of a text skill as the files that the tools read. */
import { cutAtWord } from "../../contract/cut-text.ts";
import { firstParagraph } from "../../contract/first-paragraph.ts";
import { yamlText } from "../../contract/yaml-text.ts";
import type { InstallItem } from "./target.ts";

const descriptionMax = 1024;
const nameMax = 64;

/** Device names of Windows, which can't be names of files or folders, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Lowercase letters, digits and single hyphens, as in the Agent Skills specification. */
export function skillFolderName(name: string): string {
  const reduced = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, nameMax)
    .replace(/^-+|-+$/g, "");
  return deviceName.test(reduced) ? `${reduced}-skill` : reduced;
}

export function isSkillFolderName(name: string): boolean {
  return name.length <= nameMax && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && !deviceName.test(name);
}

/** A line that is never empty: several tools ignore a skill without a description. */
export function describe(item: InstallItem): string {
  const given = oneLine(item.description);
  const text = given === "" ? firstParagraph(item.body) : given;
  return cutAtWord(text === "" ? oneLine(item.name) : text, descriptionMax);
}

/** Frontmatter, a blank line, the unchanged body, and one newline at the end. */
export function renderText(frontmatter: readonly string[], body: string): string {
  const head = frontmatter.length === 0 ? "" : `---\n${frontmatter.join("\n")}\n---\n\n`;
  return `${head}${trimEnd(body)}\n`;
}

/** The SKILL.md of a skill folder: the version's own bytes if the service has them. */
export function renderSkillFile(item: InstallItem): string {
  if (item.head !== undefined) return item.head + item.body;
  return renderText([`name: ${item.installName}`, `description: ${yamlText(describe(item))}`], item.body);
}

/** A text without frontmatter; the display name is its title if it has none. */
export function renderTitled(item: InstallItem): string {
  if (hasTitle(item.body)) return renderText([], item.body);
  return renderText([], `# ${oneLine(item.name)}\n\n${withoutBlankHead(item.body)}`);
}

/** Number of code points, the unit of the tools' limits. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A section's lines: a heading with the display name, then the body. */
export function renderBlock(item: InstallItem): string {
  const body = withoutBlankHead(trimEnd(item.body));
  const heading = `## ${oneLine(item.name)}`;
  return body === "" ? heading : `${heading}\n\n${body}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function withoutBlankHead(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, "");
}

/** Without a pattern, whose time would grow with the square of the longest run of spaces. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Whether the text has a first-level heading outside fenced code. */
function hasTitle(body: string): boolean {
  let fence: string | undefined;
  let above = "";
  for (const line of body.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) fence = mark;
    else if (/^ {0,3}#(?:[ \t]|$)/.test(line) || (above.trim() !== "" && /^ {0,3}=+[ \t]*$/.test(line)))
      return true;
    above = line;
  }
  return false;
}
