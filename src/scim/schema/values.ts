/**
 * Reads values of requests into those of the schema table: unknown names are ignored, wrong types are refused. Results
 * have no prototype, so that no name of a request can reach one.
 */
import { isOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import type { ScimValue } from "../../../storage/scim/users.ts";
import { badInput } from "../errors.ts";
import type { Attribute } from "./attributes.ts";

export type ScimObject = { [name: string]: ScimValue };

export const emptyObject = (): ScimObject => Object.create(null) as ScimObject;

/** An object of a request; null and lists are none. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a name in any case, since identity providers differ. */
export function ownValue(object: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

/** The value of an attribute; undefined for null, which removes it. */
export function readValue(attribute: Attribute, value: unknown): ScimValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readSingle(attribute, attribute.sub ? value : unwrap(value));
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > limits.scimValues)
    throw badInput("tooMany", `"${attribute.name}" has more than ${limits.scimValues} values.`);
  return given.map((one) => readSingle(attribute, one)).filter((one) => one !== undefined);
}

/** Older connectors of Entra ID send a simple value as `[{"$ref": null, "value": "False"}]`. */
function unwrap(value: unknown): unknown {
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(one) && Object.hasOwn(one, "value") ? one["value"] : one;
}

/** One value of an attribute. A text stands for an object with this `value`, as Entra ID sends managers. */
export function readSingle(attribute: Attribute, value: unknown): ScimValue | undefined {
  if (attribute.type === "boolean") return readBoolean(attribute, value);
  if (attribute.type !== "complex") return readText(attribute, value);
  const main = attribute.sub!.find(({ name }) => name === "value");
  if (main && typeof value === "string")
    return Object.assign(emptyObject(), { value: readText(main, value) });
  if (!isObject(value)) throw wrongType(attribute, "an object");
  return readObject(attribute.sub!, value);
}

/** The known attributes of an object; readOnly ones are ignored, as the RFC demands of POST and PUT. */
export function readObject(attributes: readonly Attribute[], given: Record<string, unknown>): ScimObject {
  const result = emptyObject();
  for (const [key, value] of Object.entries(given)) {
    const folded = key.toLowerCase();
    const attribute = attributes.find(({ name }) => name.toLowerCase() === folded);
    if (!attribute || attribute.mutability === "readOnly" || attribute.mutability === "writeOnly") continue;
    const read = readValue(attribute, value);
    if (read !== undefined) result[attribute.name] = read;
  }
  return result;
}

/** Entra ID sends booleans as texts. */
function readBoolean(attribute: Attribute, value: unknown): boolean {
  const known = typeof value === "string" ? value.toLowerCase() : value;
  if (known === true || known === "true") return true;
  if (known === false || known === "false") return false;
  throw wrongType(attribute, "true or false");
}

function readText(attribute: Attribute, value: unknown): string | undefined {
  // Numbers of employees come as numbers.
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") throw wrongType(attribute, "a text");
  if (text.length > limits.scimText)
    throw badInput("invalidValue", `"${attribute.name}" is longer than ${limits.scimText} characters.`);
  if (!isOneLine(text.replace(/[\r\n\t]/g, "")))
    throw badInput("invalidValue", `"${attribute.name}" contains control characters.`);
  return text;
}

function wrongType({ name }: Attribute, wanted: string) {
  return badInput("invalidValue", `"${name}" must be ${wanted}.`);
}
