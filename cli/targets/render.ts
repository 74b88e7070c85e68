/** Rendering of a text skill as the files that the tools read. */
import { yamlText } from "../../contract/document/yaml-text.ts";
import { slugPattern } from "../../contract/names/slug.ts";
import { describe, oneLine, renderText, trimEnd } from "../../contract/rule-files.ts";
import type { InstallItem } from "./target.ts";

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
  return name.length <= nameMax && slugPattern.test(name) && !deviceName.test(name);
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

function withoutBlankHead(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, "");
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
