/** Lines of YAML that can't be parsed, read as a person would read them. Pure. */
import { isKnownKey } from "../document/known-keys.ts";
import { yamlText } from "../document/yaml-text.ts";

export interface YamlLine {
  indent: string;
  /** The "- " of a list before the key, or nothing. */
  dash: string;
  key?: string;
  /** The text after the key, without white space around it; undefined if there is none. */
  value?: string;
  /** The text after a colon that no space follows. */
  glued?: string;
}

const keyed = /^(\s*)((?:-[ \t]+)?)([A-Za-z_][\w.-]{0,99})[ \t]*:(?:[ \t]+(\S.*))?$/;
const gluedKey = /^(\s*)((?:-[ \t]+)?)([A-Za-z_][\w.-]{0,99}):(?!\/\/)([^\s:].*)$/;

export function readLine(text: string): YamlLine {
  const line = text.trimEnd();
  const match = keyed.exec(line);
  if (match)
    return {
      indent: match[1]!,
      dash: match[2]!,
      key: match[3]!,
      value: match[4],
    };
  const glued = gluedKey.exec(line);
  if (glued)
    return {
      indent: glued[1]!,
      dash: glued[2]!,
      key: glued[3]!,
      glued: glued[4]!,
    };
  return { indent: /^\s*/.exec(line)![0], dash: "" };
}

/** A text in quotation marks, in single ones if it contains double ones or backslashes. */
export function quoted(text: string): string {
  return /^[\x20-\x26\x28-\x7e]*$/.test(text) && /["\\]/.test(text) ? `'${text}'` : yamlText(text);
}

/** A value as it is if it is plain or quoted already, else in quotation marks. */
export function quotedIfNeeded(value: string): string {
  const isSafe =
    /^(?:"[^"\\]*"|'[^']*'|\[[\w\s,."'/-]*\]|[|>][-+]?)$/.test(value) ||
    (/^[\w./(]/.test(value) && !/:(?:\s|$)|\s#/.test(value)) ||
    value === "";
  return isSafe ? value : quoted(value);
}

/** The lines of a value as one text, without quotation marks around it. */
export function joinedValue(lines: readonly string[]): string {
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")
    .replace(/^[|>][-+\d]*\s+/, "");
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}

export const subjectOf = (key: string | undefined) =>
  key === undefined ? "its frontmatter" : isKnownKey(key) ? `its ${key}` : `its key "${key}"`;

/** Longest text that is suggested: longer ones are cut. */
const longest = 600;

export function writeInstead(text: string): string {
  return `Write instead: \`${shorten(text)}\`.`;
}

export function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

export const lineAt = (yaml: string, line: number) => yaml.split(/\r?\n/)[line - 1] ?? "";
