/** Texts of configuration files: their line ends and byte order mark, and the errors of unusable ones. */

/** Both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** A file that is left alone. Its message never quotes the file, which may have secrets. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
  readonly position: Position | undefined;

  constructor(message: string, position?: Position) {
    super(message);
    this.position = position;
  }
}

/** The error for a problem at an offset of the text. */
export function unusableAt(text: string, offset: number, problem: string, remedy?: string): UnusableFile {
  const position = positionAt(text, offset);
  const rest = remedy === undefined ? "" : `: ${remedy}`;
  return new UnusableFile(`${problem} (${positionText(position)})${rest}`, position);
}

export type Eol = "\n" | "\r\n";

/** The line end of most lines. */
export function eolOf(text: string): Eol {
  const all = text.split("\n").length - 1;
  const wide = text.split("\r\n").length - 1;
  return wide * 2 > all ? "\r\n" : "\n";
}

const mark = "\uFEFF";

/** Applies an edit to the text after a byte order mark. */
export function afterMark<T extends { text: string }>(text: string, edit: (rest: string) => T): T {
  if (!text.startsWith(mark)) return edit(text);
  const edited = edit(text.slice(mark.length));
  return { ...edited, text: mark + edited.text };
}

/** A part of a text, and what replaces it. */
export interface Splice {
  at: number;
  length: number;
  text: string;
}

/** Applies splices that do not overlap. */
export function splice(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((a, b) => b.at - a.at)
    .reduce((done, { at, length, text: part }) => done.slice(0, at) + part + done.slice(at + length), text);
}

/** The start of the line that has the character at `at`. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** The end of that line, after its line end. */
export function lineEnd(text: string, at: number): number {
  const found = text.indexOf("\n", at);
  return found === -1 ? text.length : found + 1;
}

/** Spaces and tabs at the start of the line that has the character at `at`. */
export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))![0];
}

export const isBlank = (text: string) => /^\s*$/.test(text);

export function positionText({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

function positionAt(text: string, offset: number): Position {
  const line = text.slice(0, offset).split("\n").length;
  return { line, column: offset - lineStart(text, offset) + 1 };
}
