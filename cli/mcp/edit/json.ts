/**
 * Edits of JSON files, with and without comments. An edit changes the bytes of its own members only; its result is
 * parsed, and compared with the intended content, before it is returned.
 */
import { type Node, type ParseError, getNodeValue, parseTree, printParseErrorCode } from "jsonc-parser";
import { type Change, type Edited, type Plain, type Undo, applyChange } from "./change.ts";
import { type MemberForm, insertMember, jsonText, removeMember } from "./json-members.ts";
import {
  type Splice,
  UnusableFile,
  eolOf,
  indentAt,
  isBlank,
  lineStart,
  splice,
  unusableAt,
} from "./text.ts";

export type JsonSyntax = "json" | "jsonc";

/** The content; an object without a prototype for a blank text. Throws `UnusableFile`. */
export function readJson(text: string, syntax: JsonSyntax): Plain {
  const root = parse(text, syntax);
  return root === undefined ? (Object.create(null) as Plain) : (getNodeValue(root) as Plain);
}

export function editJson(text: string, syntax: JsonSyntax, changes: readonly Change[]): Edited {
  const wanted = readJson(text, syntax);
  const undo: Undo[] = [];
  let edited = text;
  for (const change of changes) {
    edited = editOnce(edited, syntax, change, undo);
    applyChange(wanted, change);
  }
  if (JSON.stringify(readJson(edited, syntax)) !== JSON.stringify(wanted))
    throw new UnusableFile("it can't be edited without changing other content");
  return { text: edited, undo };
}

/** Gives objects and arrays that are empty again the form that they had before the first edit. */
export function restoreJson(text: string, syntax: JsonSyntax, undo: readonly Undo[]): Edited {
  let restored = text;
  for (const { path, was } of undo.toSorted((a, b) => b.path.length - a.path.length)) {
    const root = parse(restored, syntax);
    const node = root && findNode(restored, root, path);
    if (node === undefined || !isEmpty(restored, node, was)) continue;
    if (was === null) restored = editOnce(restored, syntax, { kind: "remove", path }, []);
    else if (isBlank(was)) restored = was;
    else restored = splice(restored, [{ at: node.offset, length: node.length, text: was }]);
  }
  return { text: restored, undo: [] };
}

/** Without members, and without comments that it did not have. */
function isEmpty(text: string, node: Node, was: string | null): boolean {
  if (node.children === undefined || node.children.length > 0) return false;
  const now = text.slice(node.offset, node.offset + node.length).replaceAll(/\s/g, "");
  return now === "{}" || now === "[]" || now === was?.replaceAll(/\s/g, "");
}

function editOnce(text: string, syntax: JsonSyntax, change: Change, undo: Undo[]): string {
  const root = parse(text, syntax);
  const found = root && findNode(text, root, change.path);
  if (change.kind === "remove")
    return found === undefined ? text : splice(text, removal(text, found.parent!));
  if (change.kind === "drop") {
    const item = found?.children?.find((one) => idOf(one) === change.id);
    return item === undefined ? text : splice(text, removal(text, item));
  }
  if (change.kind === "add") {
    if (found === undefined) {
      const edited = setValue(text, root, change.path, [change.item], undo);
      undo.push({ path: change.path, was: null });
      return edited;
    }
    if (found.type === "null") {
      undo.push({ path: change.path, was: "null" });
      return splice(text, [replacement(text, found, [change.item])]);
    }
    if (found.type !== "array")
      throw unusableAt(text, found.offset, `"${change.path.join(".")}" in it is not a list`);
    const same = found.children!.find((one) => idOf(one) === change.item.id);
    if (same !== undefined) return splice(text, [replacement(text, same, change.item)]);
    remember(undo, text, change.path, found);
    return splice(
      text,
      insertMember(text, found, (form) => valueText(text, change.item, form)),
    );
  }
  if (found === undefined) return setValue(text, root, change.path, change.value, undo);
  return splice(text, [replacement(text, found, change.value)]);
}

/** Sets a member that does not exist, with the objects on its path that don't, or are null. */
function setValue(
  text: string,
  root: Node | undefined,
  path: readonly string[],
  value: unknown,
  undo: Undo[],
): string {
  if (root === undefined) {
    undo.push({ path: [], was: text }, ...missingBelow(path, 0));
    const document = nested(path, value);
    return `${JSON.stringify(document, undefined, 2).replaceAll("\n", eolOf(text))}${eolOf(text)}`;
  }
  let at = root;
  let depth = 0;
  for (let next: Node | undefined; depth < path.length - 1; depth++) {
    next = childOf(text, at, path[depth]!, path.slice(0, depth));
    if (next === undefined) break;
    at = next;
  }
  if (at.type === "null") {
    undo.push({ path: path.slice(0, depth), was: "null" }, ...missingBelow(path, depth));
    return splice(text, [replacement(text, at, nested(path.slice(depth), value))]);
  }
  requireObject(text, at, path.slice(0, depth));
  remember(undo, text, path.slice(0, depth), at);
  undo.push(...missingBelow(path, depth));
  const name = path[depth]!;
  const inner = nested(path.slice(depth + 1), value);
  return splice(
    text,
    insertMember(text, at, (form) => {
      const space = "space" in form ? form.space : " ";
      return `${JSON.stringify(name)}:${space}${valueText(text, inner, form)}`;
    }),
  );
}

function remember(undo: Undo[], text: string, path: readonly string[], node: Node): void {
  if (node.children!.length === 0)
    undo.push({ path, was: text.slice(node.offset, node.offset + node.length) });
}

/** The objects that a change creates: those between an existing object and the member itself. */
function missingBelow(path: readonly string[], depth: number): Undo[] {
  return path.slice(depth + 1).map((_, i) => ({ path: path.slice(0, depth + 1 + i), was: null }));
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => Object.fromEntries([[name, inner]]), value);
}

function valueText(text: string, value: unknown, form: MemberForm): string {
  return "indent" in form ? jsonText(text, value, form.indent) : JSON.stringify(value);
}

function replacement(text: string, node: Node, value: unknown): Splice {
  const start = node.parent?.type === "property" ? node.parent.offset : node.offset;
  const isOwnLine = isBlank(text.slice(lineStart(text, start), start));
  const form: MemberForm = isOwnLine ? { indent: indentAt(text, start) } : { space: "" };
  return { at: node.offset, length: node.length, text: valueText(text, value, form) };
}

/** `member`: a property, or an item of an array. */
function removal(text: string, member: Node): Splice[] {
  return removeMember(text, member.parent!, member);
}

function idOf(node: Node): unknown {
  return node.type === "object" ? (getNodeValue(node) as Plain)["id"] : undefined;
}

function findNode(text: string, root: Node, path: readonly string[]): Node | undefined {
  let at: Node | undefined = root;
  for (const [depth, name] of path.entries()) {
    at = childOf(text, at, name, path.slice(0, depth));
    if (at === undefined) return undefined;
  }
  return at;
}

/** The value of a property. A name that occurs twice has no definite value, so it is refused. */
function childOf(text: string, node: Node, name: string, path: readonly string[]): Node | undefined {
  if (node.type === "null") return undefined;
  requireObject(text, node, path);
  const named = node.children!.filter((property) => property.children![0]!.value === name);
  if (named.length > 1)
    throw unusableAt(text, named[1]!.offset, `it has "${name}" twice`, "remove one of the two");
  return named[0]?.children![1];
}

function requireObject(text: string, node: Node, path: readonly string[]): void {
  if (node.type === "object") return;
  const subject = path.length === 0 ? "its content" : `"${path.join(".")}" in it`;
  throw unusableAt(text, node.offset, `${subject} is not an object`, "write it as one, { … }");
}

/** Undefined for a blank text. */
function parse(text: string, syntax: JsonSyntax): Node | undefined {
  if (isBlank(text)) return undefined;
  const errors: ParseError[] = [];
  const root = parseDeep(text, syntax, errors);
  const [error] = errors;
  if (error !== undefined && printParseErrorCode(error.error) === "InvalidCommentToken")
    throw unusableAt(
      text,
      error.offset,
      "it has a comment, which its tool does not accept",
      "remove the comment",
    );
  if (error !== undefined || root === undefined)
    throw unusableAt(text, error?.offset ?? 0, "it is not valid JSON", "repair it");
  requireObject(text, root, []);
  return root;
}

function parseDeep(text: string, syntax: JsonSyntax, errors: ParseError[]): Node | undefined {
  try {
    const options = { disallowComments: syntax === "json", allowTrailingComma: syntax === "jsonc" };
    const root = parseTree(text, errors, options);
    // The tool's own parser is as strict.
    if (syntax === "json" && errors.length === 0) JSON.parse(text);
    return root;
  } catch (error) {
    throw new UnusableFile(
      error instanceof RangeError ? "it is nested too deeply" : "it is not valid JSON: repair it",
    );
  }
}
