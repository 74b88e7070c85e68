/** Turning a text skill into the files that the tools read. */
import type { InstallItem } from "./target.ts";

const descriptionMax = 1024;
const nameMax = 64;

/** Devices of Windows, which makes no file or folder of such a name, whatever its ending. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Lowercase letters, digits and single hyphens, as the Agent Skills specification has them. */
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

/** One line, never empty: several tools drop a skill without a description. */
export function describe(item: InstallItem): string {
  const given = oneLine(item.description);
  const text = given === "" ? firstParagraph(item.body) : given;
  return cut(text === "" ? oneLine(item.name) : text, descriptionMax);
}

/** Frontmatter, a blank line, the body as it is, exactly one newline at the end. */
export function renderText(frontmatter: readonly string[], body: string): string {
  const head = frontmatter.length === 0 ? "" : `---\n${frontmatter.join("\n")}\n---\n\n`;
  return `${head}${trimEnd(body)}\n`;
}

/** The native skill folder's file, as most tools read it. */
export function renderSkillFile(item: InstallItem): string {
  return renderText([`name: ${item.installName}`, `description: ${yamlText(describe(item))}`], item.body);
}

/** A text without frontmatter; the display name is its title where it has none. */
export function renderTitled(item: InstallItem): string {
  if (hasTitle(item.body)) return renderText([], item.body);
  return renderText([], `# ${oneLine(item.name)}\n\n${withoutBlankHead(item.body)}`);
}

/** Characters as people count them, not bytes: what the limits of the tools are given in. */
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

/** JSON strings are YAML strings, and no character in them means anything to YAML. */
export function yamlText(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function withoutBlankHead(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, "");
}

/** By hand: the pattern for it takes time by the square of the longest run of blanks. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Whether a heading of the first level stands outside of fenced code. */
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

/** By characters, so that no pair of surrogates is torn. */
function cut(text: string, characters: number): string {
  return text.length <= characters ? text : Array.from(text).slice(0, characters).join("").trimEnd();
}

/** The first paragraph that is prose, without Markdown's marks. */
function firstParagraph(body: string): string {
  const prose = body
    .split(/\r?\n[ \t]*(?:\r?\n)+/)
    .map((block) => block.trim())
    .find((block) => block !== "" && !/^(?:#{1,6}\s|```|~~~|---|===|<!--|\||!\[)/.test(block));
  return oneLine(
    (prose ?? "")
      // More is cut away in the end, and a hostile text could keep the patterns busy.
      .slice(0, 4 * descriptionMax)
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/^[ \t]*(?:[-*+>]|\d+\.)[ \t]+/gm, "")
      .replace(/[*_`]+/g, ""),
  );
}
