/** Reads the operations of a PATCH (RFC 7644, section 3.5.2) in the forms that identity providers send. */
import { limits } from "../../../contract/limits.ts";
import { badInput, ScimError } from "../errors.ts";
import { parseFilter, type Filter } from "../filter/parse.ts";
import type { Attribute, ResourceType } from "../schema/attributes.ts";
import { findAttribute, type AttributePath } from "../schema/paths.ts";
import { isObject, ownValue } from "../schema/values.ts";

export interface Operation {
  op: "add" | "replace" | "remove";
  path: PatchPath | undefined;
  value: unknown;
}

export interface PatchPath extends AttributePath {
  /** Selects values of a list. */
  filter: Filter | undefined;
}

/**
 * The operations on known attributes; the paths of others are added to `ignored`, since identity providers send
 * attributes of extensions of their own. Throws `invalidSyntax`, `invalidPath`, `noTarget` or `tooMany`.
 */
export function readOperations(type: ResourceType, body: unknown, ignored: Set<string>): Operation[] {
  if (!isObject(body)) throw badInput("invalidSyntax", "The body must be a JSON object.");
  const given = ownValue(body, "operations");
  if (!Array.isArray(given) || given.length === 0)
    throw badInput("invalidSyntax", '"Operations" must be a list with at least one operation.');
  if (given.length > limits.scimOperations)
    throw new ScimError(413, `The request has more than ${limits.scimOperations} operations.`, {
      scimType: "tooMany",
    });
  if (hasTooManyFilters(given))
    throw new ScimError(
      413,
      `The filters of the operations have more than ${limits.scimFilters} characters: send fewer at a time.`,
      { scimType: "tooMany" },
    );
  return given.flatMap((one) => readOperation(type, one, ignored) ?? []);
}

/** Whether the paths with filters are so long together that reading them takes too much time. */
export function hasTooManyFilters(operations: readonly unknown[]): boolean {
  let length = 0;
  for (const one of operations.filter(isObject)) {
    const path = ownValue(one, "path");
    const value = path ? undefined : ownValue(one, "value");
    const paths = isObject(value) ? Object.keys(value) : typeof path === "string" ? [path] : [];
    for (const text of paths) if (text.includes("[")) length += text.length;
  }
  return length > limits.scimFilters;
}

function readOperation(type: ResourceType, given: unknown, ignored: Set<string>): Operation | undefined {
  if (!isObject(given)) throw badInput("invalidSyntax", "An operation must be an object.");
  const name = ownValue(given, "op");
  const op = typeof name === "string" ? name.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw badInput("invalidSyntax", '"op" must be add, replace or remove.');
  const path = ownValue(given, "path");
  if (path !== undefined && path !== null && typeof path !== "string")
    throw badInput("invalidPath", '"path" must be a text.');
  if (op === "remove" && !path) throw badInput("noTarget", "An operation that removes needs a path.");
  const read = path ? readPath(type, path) : undefined;
  if (path && !read) {
    ignored.add(path);
    return undefined;
  }
  const value = ownValue(given, "value");
  if (op !== "remove" && value === undefined)
    throw badInput("invalidValue", `An operation that ${op}s needs a value.`);
  return { op, path: read, value };
}

/**
 * The path `attribute`, `attribute.sub`, `attribute[filter]` or `attribute[filter].sub`; undefined for an attribute
 * that the schemas don't have. Throws `invalidPath` or `invalidFilter`.
 */
export function readPath(type: ResourceType, text: string): PatchPath | undefined {
  if (text.length > limits.scimFilter)
    throw badInput("invalidPath", `The path has more than ${limits.scimFilter} characters.`);
  const open = text.indexOf("[");
  if (open === -1) {
    const found = findAttribute(type, text.trim());
    return found && { ...found, filter: undefined };
  }
  const close = text.lastIndexOf("]");
  const found = findAttribute(type, text.slice(0, open).trim());
  const rest = text.slice(close + 1);
  if (close < open || (rest !== "" && !rest.startsWith("."))) throw invalidPath(text);
  if (!found) return undefined;
  if (!found.attribute?.multiValued || found.sub) throw invalidPath(text);
  const filter = parseFilter(text.slice(open + 1, close));
  if (rest === "") return { ...found, filter };
  const sub = subOf(found.attribute, rest.slice(1).toLowerCase());
  return sub && { ...found, filter, sub };
}

const subOf = (attribute: Attribute, name: string) =>
  attribute.sub!.find((one) => one.name.toLowerCase() === name);

function invalidPath(text: string): ScimError {
  return badInput("invalidPath", `"${text.slice(0, 100)}" is not the path of an attribute.`);
}
