/**
 * Blocks of ours in a file that belongs to others. Pure: text in, text out. Every byte outside the block stays;
 * a file whose markers are in disorder is refused rather than guessed at.
 */

export type SectionEdit = { text: string } | { refused: string };

const marker = /^<!-- svc:(start|end):([a-z0-9-]+) -->[ \t]*$/;

interface Line {
  /** Without its ending. */
  text: string;
  start: number;
  /** Behind the text, before the ending. */
  textEnd: number;
  /** Behind the ending. */
  end: number;
}

interface Span {
  first: Line;
  last: Line;
}

/** Puts the block of `name` in place of the present one, or at the end. `text` is undefined when there is no file. */
export function applySection(text: string | undefined, name: string, block: string): SectionEdit {
  const lines = block.split(/\r\n|\r|\n/);
  if (lines.some((line) => marker.test(line)))
    return { refused: "its text holds a line that looks like a section marker of svc" };
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
  // A file that ends without a newline still does so afterwards: removal can tell, and gives back the same bytes.
  return content.endsWith("\n")
    ? { text: before + eol + section + eol }
    : { text: before + eol + eol + section };
}

/** Takes the block of `name` out, with the blank line that `applySection` put before it. */
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
  // The first block of an empty file: the blank line belongs to the block that follows it.
  return { text: head + tail.replace(/^\r?\n(?=<!-- svc:start:[a-z0-9-]+ -->[ \t]*(?:\r?\n|$))/, "") };
}

/** The block's lines between its markers, with `\n` endings; undefined when it is not there or not in order. */
export function readSection(text: string, name: string): string | undefined {
  const found = findSpan(text, name);
  if ("refused" in found || found.span === undefined) return undefined;
  return text.slice(found.span.first.end, found.span.last.start).replaceAll("\r\n", "\n");
}

/** What `readSection` finds after `applySection` with this block. */
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
    return { refused: `its svc markers for ${name} are in disorder: mend or remove them by hand` };
  const between = marks.some(
    (mark) => mark.line.start > start!.line.start && mark.line.start < end!.line.start,
  );
  if (between) return { refused: `another svc section lies inside that of ${name}: mend it by hand` };
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

/** CRLF where most lines end so. */
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
