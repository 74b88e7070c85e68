/**
 * Sections of svc in a shared file. Pure: text in, text out. Every byte outside the section stays;
 * a file whose markers don't match is refused.
 */

export type SectionEdit = { text: string } | { refused: string };

const marker = /^<!-- svc:(start|end):([a-z0-9-]+) -->[ \t]*$/;

interface Line {
  /** Without its ending. */
  text: string;
  start: number;
  /** Offset after the text, before the line ending. */
  textEnd: number;
  /** Offset after the line ending. */
  end: number;
}

interface Span {
  first: Line;
  last: Line;
}

/** Replaces the section of `name`, or appends it. `text` is undefined if the file does not exist. */
export function applySection(text: string | undefined, name: string, block: string): SectionEdit {
  const lines = block.split(/\r\n|\r|\n/);
  if (lines.some((line) => marker.test(line)))
    return { refused: "its text contains a line that looks like a section marker of svc" };
  const before = text ?? "";
  const eol = lineEndingOf(before);
  const section = [`<!-- svc:start:${name} -->`, ...lines, "", `<!-- svc:end:${name} -->`].join(eol);

  const found = findSpan(before, name);
  if ("refused" in found) return found;
  if (found.span !== undefined)
    return {
      text: before.slice(0, found.span.first.start) + section + before.slice(found.span.last.textEnd),
    };
  const content = withoutMark(before);
  if (content === "") return { text: before + section + eol };
  // A file without a final newline stays without one, so that removal can restore the same bytes.
  return content.endsWith("\n")
    ? { text: before + eol + section + eol }
    : { text: before + eol + eol + section };
}

/** Removes the section of `name`, with the blank line that `applySection` inserted before it. */
export function removeSection(text: string, name: string): SectionEdit {
  const found = findSpan(text, name);
  if ("refused" in found) return found;
  if (found.span === undefined) return { text };
  const { first, last } = found.span;
  const head = text.slice(0, first.start);
  const tail = text.slice(last.end);
  const eol = text.slice(first.textEnd, first.end);
  const endsOpen = last.end === last.textEnd;
  if (endsOpen) return { text: withoutSuffix(head, eol + eol) };
  if (withoutMark(head) !== "")
    return { text: (head.endsWith(`\n${eol}`) ? withoutSuffix(head, eol) : head) + tail };
  // The first section of an empty file: the blank line belongs to the section after it.
  return { text: head + tail.replace(/^\r?\n(?=<!-- svc:start:[a-z0-9-]+ -->[ \t]*(?:\r?\n|$))/, "") };
}

/** The lines between the section's markers, with `\n` endings; undefined if it is missing or malformed. */
export function readSection(text: string, name: string): string | undefined {
  const found = findSpan(text, name);
  if ("refused" in found || found.span === undefined) return undefined;
  return text.slice(found.span.first.end, found.span.last.start).replaceAll("\r\n", "\n");
}

/** The result of `readSection` after `applySection` with this section. */
export function sectionContent(block: string): string {
  return `${block.replaceAll(/\r\n?/g, "\n")}\n\n`;
}

function findSpan(text: string, name: string): { span: Span | undefined } | { refused: string } {
  const marks = linesOf(text).flatMap((line) => {
    const match = marker.exec(line.text);
    return match === null ? [] : [{ line, kind: match[1]!, name: match[2]! }];
  });
  const own = marks.filter((mark) => mark.name === name);
  if (own.length === 0) return { span: undefined };
  const [start, end] = own;
  if (own.length !== 2 || start!.kind !== "start" || end!.kind !== "end")
    return { refused: `its svc markers for ${name} do not match: repair or remove them by hand` };
  const between = marks.some(
    (mark) => mark.line.start > start!.line.start && mark.line.start < end!.line.start,
  );
  if (between) return { refused: `another svc section is inside that of ${name}: repair it by hand` };
  return { span: { first: start!.line, last: end!.line } };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  const offset = text.length - withoutMark(text).length;
  for (let start = offset; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    let textEnd = newline === -1 ? end : newline;
    if (newline !== -1 && text[textEnd - 1] === "\r" && textEnd > start) textEnd--;
    lines.push({ text: text.slice(start, textEnd), start, textEnd, end });
    start = end;
  }
  return lines;
}

/** CRLF if most lines end with it. */
function lineEndingOf(text: string): "\n" | "\r\n" {
  const all = text.split("\n").length - 1;
  const carriage = text.split("\r\n").length - 1;
  return carriage * 2 > all ? "\r\n" : "\n";
}

function withoutSuffix(text: string, suffix: string): string {
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
