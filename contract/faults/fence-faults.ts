/**
 * Frontmatter that a person wrote and no tool would find: its fences are missing, misplaced or of another form. Without
 * these checks it would be published as text. Pure.
 */
import { isKnownKey } from "../document/known-keys.ts";
import { yamlLimits } from "../document/yaml.ts";
import { readLine } from "./yaml-lines.ts";

export interface FenceFault {
  rule: "frontmatter_open" | "frontmatter_position" | "frontmatter_language" | "line_ends";
  /** A clause about "it", the file. */
  reason: string;
  /** A sentence with the text to write, if one is known. */
  remedy: string;
  /** Line in the file, from 1. */
  line: number;
}

/** Frontmatter is not searched for further down, with comments before it. */
const searched = 2 * yamlLimits.bytes;

/** Why a text has frontmatter, but not in its first line as YAML; undefined if it has none, or begins with it. */
export function misplacedFence(source: string): FenceFault | undefined {
  const start = source.slice(0, searched);
  if (/\r(?!\n)/.test(start) && !start.includes("\n")) return carriageReturns(start);
  if (/^---[^\S\r\n]*(?:\r?\n|$)/.test(start)) return undefined;
  if (/^\+{3}[ \t]*\r?\n[^]*?\n\+{3}[ \t]*(?:\r?\n|$)/.test(start))
    return {
      rule: "frontmatter_language",
      reason: '"+++" opens frontmatter of another language, and only YAML is read',
      remedy: "Write it as YAML, between two lines of `---`.",
      line: 1,
    };
  const lines = start.split(/\r?\n/);
  if (hasNoOpening(lines))
    return {
      rule: "frontmatter_position",
      reason: "its frontmatter has no opening --- line",
      remedy: "Insert before line 1: `---`.",
      line: 1,
    };
  const fence = firstFence(lines);
  if (fence === undefined || !isFrontmatter(lines.slice(fence.line))) return undefined;
  return {
    rule: "frontmatter_position",
    reason: `its frontmatter begins in line ${fence.line}, after ${fence.after}, where tools read it as text`,
    remedy: fence.remedy,
    line: fence.line,
  };
}

/** Whether a text begins with the name or description of a skill, and has a fence below its keys only. */
function hasNoOpening(lines: readonly string[]): boolean {
  if (!["name", "description"].includes(readLine(lines[0]!).key ?? "")) return false;
  const end = lines.findIndex((text) => text.trimEnd() === "---");
  return end > 0 && lines.slice(0, end).every(isYamlLine);
}

function carriageReturns(start: string): FenceFault | undefined {
  const lines = start.split("\r");
  const fence = lines[0]?.trimEnd() === "---" ? 1 : firstFence(lines)?.line;
  if (fence === undefined || !isFrontmatter(lines.slice(fence))) return undefined;
  return {
    rule: "line_ends",
    reason: "its lines end with a carriage return alone, so tools read it as one line",
    remedy: "Save it with LF or CRLF line endings.",
    line: 1,
  };
}

/** The line of the first fence after blank lines, comments and headings, from 1; or of the first key without one. */
function firstFence(lines: readonly string[]): { line: number; after: string; remedy: string } | undefined {
  let after: string | undefined;
  for (let i = 0; i < lines.length; i++) {
    const text = lines[i]!.trim();
    if (text === "---") {
      const what = after ?? "white space";
      const remedy =
        what === "a comment" || what === "a heading"
          ? "Move it below the frontmatter, so that the first line is ---."
          : "Remove it, so that the first line is ---.";
      return { line: i + 1, after: what, remedy };
    }
    if (text === "") after ??= "a blank line";
    else if (text.startsWith("<!--")) {
      after = "a comment";
      while (i < lines.length && !lines[i]!.includes("-->")) i++;
      if (lines[i] === undefined || lines[i]!.trim().indexOf("-->") !== lines[i]!.trim().length - 3)
        return undefined;
    } else if (/^(?:#|\/\/)/.test(text)) after = text.startsWith("# ") ? "a heading" : "a comment";
    else return undefined;
  }
  return undefined;
}

/** Whether the lines after a fence are frontmatter rather than a text between two horizontal rules. */
function isFrontmatter(lines: readonly string[]): boolean {
  const end = lines.findIndex((text) => /^\s*(?:---|\.\.\.)\s*$/.test(text));
  if (lines.slice(0, end).some((text) => text.startsWith("```"))) return false;
  return end > 0 && lines.slice(0, end).some((text) => isFrontmatterKey(text));
}

function isFrontmatterKey(text: string): boolean {
  const { key, indent } = readLine(text);
  return key !== undefined && indent === "" && isKnownKey(key);
}

/** A line that was meant as a fence. */
const similarFence = /^(?:[ \t]*(?:--|-{4,}|[–—]{1,3}|_{3}|={3,}|\*{3})|[ \t]+---)[ \t]*$/;

/** Why the frontmatter at the start of a text is not closed. `yaml`: the part up to the next fence, if any. */
export function unclosedFence(source: string, yaml: string | undefined): FenceFault | undefined {
  const lines = (yaml ?? source.slice(0, searched)).split(/\r?\n/);
  // Lines of the YAML are counted from the one after the first fence.
  const first = yaml === undefined ? 1 : 0;
  const dots = lines.findIndex((text, i) => i >= first && /^\.\.\.[ \t]*$/.test(text));
  const hasMore =
    dots >= 0 && (yaml === undefined || lines.slice(dots + 1).some((text) => text.trim() !== ""));
  const lineOf = (i: number) => i + 2 - first;
  if (hasMore)
    return {
      rule: "frontmatter_open",
      reason: "its frontmatter ends with ..., which few tools read as its end",
      remedy: "Write instead: `---`.",
      line: lineOf(dots),
    };
  if (yaml !== undefined) return undefined;
  const similar = lines.findIndex((text, i) => i > 0 && similarFence.test(text));
  if (similar > 0)
    return {
      rule: "frontmatter_open",
      reason: `its frontmatter has no closing --- line: ${JSON.stringify(lines[similar]!.trimEnd())} is none`,
      remedy: "Write instead: `---`.",
      line: lineOf(similar),
    };
  const end = lines.findIndex((text, i) => i > 0 && text.trim() !== "" && !isYamlLine(text));
  return {
    rule: "frontmatter_open",
    reason: "its frontmatter has no closing --- line",
    remedy: end > 0 ? `Insert before line ${end + 1}: \`---\`.` : "Insert after its last key: `---`.",
    line: end > 0 ? lineOf(end) : 1,
  };
}

const isYamlLine = (text: string) => /^(?:\s|- |#(?! ))/.test(text) || readLine(text).key !== undefined;
