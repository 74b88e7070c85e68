/** Reads the operations of a PATCH (RFC 7644, section 3.5.2) in the forms that identity providers send. */
import { limits } from "../../../contract/limits.ts";
import { badInput, ScimError } from "../errors.ts";
import { parseFilter, type Filter } from "../filter/parse.ts";
import type { Attribute, ResourceType } from "../schema/attributes.ts";
import { findAttribute, type AttributePath } from "../schema/paths.ts";
import { isObject } from "../schema/values.ts";

export interface Operation {
  op: "add" | "replace" | "remove";
  path: PatchPath | undefined;
  value: unknown;
}

export interface PatchPath extends AttributePath {
  /** Selects values of a list. */
  filter: Filter | undefined;
}

/** Throws `invalidSyntax`, `invalidPath`, `noTarget` or `tooMany`. */
export function readOperations(type: ResourceType, body: unknown): Operation[] {
  if (!isObject(body)) throw badInput("invalidSyntax", "The body must be a JSON object.");
  const given = ownValue(body, "operations");
  if (!Array.isArray(given) || given.length === 0)
    throw badInput("invalidSyntax", '"Operations" must be a list with at least one operation.');
  if (given.length > limits.scimOperations)
    throw new ScimError(413, `The request has more than ${limits.scimOperations} operations.`, {
      scimType: "tooMany",
    });
  return given.map((one) => readOperation(type, one));
}

function readOperation(type: ResourceType, given: unknown): Operation {
  if (!isObject(given)) throw badInput("invalidSyntax", "An operation must be an object.");
  const name = ownValue(given, "op");
  const op = typeof name === "string" ? name.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw badInput("invalidSyntax", '"op" must be add, replace or remove.');
  const path = ownValue(given, "path");
  if (path !== undefined && path !== null && typeof path !== "string")
    throw badInput("invalidPath", '"path" must be a text.');
  const read = path ? readPath(type, path) : undefined;
  if (op === "remove" && !read) throw badInput("noTarget", "An operation that removes needs a path.");
  const value = ownValue(given, "value");
  if (op !== "remove" && value === undefined)
    throw badInput("invalidValue", `An operation that ${op}s needs a value.`);
  return { op, path: read, value };
}

/** A member of an operation, by its name in any case: Entra ID and others differ. */
function ownValue(object: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(object).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
}

/** `attribute`, `attribute.sub`, `attribute[filter]` or `attribute[filter].sub`. Throws `invalidPath`. */
export function readPath(type: ResourceType, text: string): PatchPath {
  if (text.length > limits.scimFilter)
    throw badInput("invalidPath", `The path has more than ${limits.scimFilter} characters.`);
  const open = text.indexOf("[");
  if (open === -1) {
    const found = findAttribute(type, text.trim());
    if (!found) throw unknownPath(text);
    return { ...found, filter: undefined };
  }
  const close = text.lastIndexOf("]");
  const found = findAttribute(type, text.slice(0, open).trim());
  const rest = text.slice(close + 1);
  if (close < open || !found?.attribute?.multiValued || found.sub) throw unknownPath(text);
  const filter = parseFilter(text.slice(open + 1, close));
  if (rest === "") return { ...found, filter };
  return { ...found, filter, sub: subOf(found.attribute, rest, text) };
}

function subOf(attribute: Attribute, rest: string, text: string): Attribute {
  const name = rest.startsWith(".") ? rest.slice(1).toLowerCase() : "";
  const sub = attribute.sub!.find((one) => one.name.toLowerCase() === name);
  if (!sub) throw unknownPath(text);
  return sub;
}

export function unknownPath(text: string): ScimError {
  return badInput("invalidPath", `"${text.slice(0, 100)}" is not the path of an attribute.`);
}
