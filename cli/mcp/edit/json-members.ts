/** Inserts and removes one member of a JSON object or array. All other bytes stay, comments and commas included. */
import { type Node, createScanner } from "jsonc-parser";
import { type Splice, eolOf, indentAt, isBlank, lineEnd, lineStart } from "./text.ts";

/** Indentation of one level in a document. */
export function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

/** A value as indented JSON, whose first line begins in a line with this indentation. */
export function jsonText(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

/** The form of a new member: with an indentation, or on one line, with a space after colons and commas or without. */
export type MemberForm = { indent: string } | { space: "" | " " };

/** Appends a member, whose text `write` returns. */
export function insertMember(text: string, container: Node, write: (form: MemberForm) => string): Splice[] {
  const close = container.offset + container.length - 1;
  const eol = eolOf(text);
  const last = container.children!.at(-1);
  const isMultiLine = isBlank(text.slice(lineStart(text, close), close));
  const outer = indentAt(text, isMultiLine ? close : container.offset);
  if (last === undefined) {
    const indent = outer + unitOf(text);
    if (isMultiLine && lineStart(text, close) > container.offset)
      return [{ at: lineStart(text, close), length: 0, text: indent + write({ indent }) + eol }];
    const inner = text.slice(container.offset + 1, close);
    const at = isBlank(inner) ? container.offset + 1 : close;
    return [{ at, length: close - at, text: eol + indent + write({ indent }) + eol + outer }];
  }

  const end = last.offset + last.length;
  const comma = nextComma(text, end);
  const trailing = comma === undefined ? "" : ",";
  const separator: Splice[] = comma === undefined ? [{ at: end, length: 0, text: "," }] : [];
  if (isMultiLine && lineStart(text, close) > end) {
    const first = container.children![0]!;
    const before = text.slice(lineStart(text, first.offset), first.offset);
    const indent = isBlank(before) ? before : outer + unitOf(text);
    return [
      ...separator,
      { at: lineStart(text, close), length: 0, text: indent + write({ indent }) + trailing + eol },
    ];
  }
  const { colonOffset } = last;
  const space = colonOffset !== undefined && !/\s/.test(text[colonOffset + 1]!) ? "" : " ";
  const at = comma === undefined ? end : comma + 1;
  return [{ at, length: 0, text: `${comma === undefined ? "," : ""}${space}${write({ space })}${trailing}` }];
}

export function removeMember(text: string, container: Node, member: Node): Splice[] {
  const end = member.offset + member.length;
  const comma = nextComma(text, end);
  const tail = comma === undefined ? end : comma + 1;
  const start = lineStart(text, member.offset);
  const previous = container.children![container.children!.indexOf(member) - 1];
  const before =
    comma === undefined && previous !== undefined
      ? nextComma(text, previous.offset + previous.length)
      : undefined;
  const separator: Splice[] = before === undefined ? [] : [{ at: before, length: 1, text: "" }];

  const isOwnLine = start > container.offset && isBlank(text.slice(start, member.offset));
  if (
    isOwnLine &&
    isBlank(text.slice(tail, lineEnd(text, tail))) &&
    lineEnd(text, tail) <= closeOf(container)
  )
    return [...separator, { at: start, length: lineEnd(text, tail) - start, text: "" }];
  const isLast = container.children!.at(-1) === member;
  if (comma !== undefined && !isLast) {
    const space = /^[ \t]*/.exec(text.slice(tail))![0].length;
    return [{ at: member.offset, length: tail + space - member.offset, text: "" }];
  }
  const floor = before === undefined ? container.offset + 1 : before + 1;
  const space = /[ \t]*$/.exec(text.slice(floor, member.offset))![0].length;
  return [...separator, { at: member.offset - space, length: tail - member.offset + space, text: "" }];
}

function closeOf(container: Node): number {
  return container.offset + container.length - 1;
}

/** The offset of the comma that follows, if there is one before the next member or the end. Comments are skipped. */
function nextComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}
