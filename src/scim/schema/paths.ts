/**
 * Names of attributes as identity providers write them: in any case, with the URN of their schema, and dotted. A name
 * is looked up in the schema table only, so that names such as `__proto__` are unknown.
 */
import { commonAttributes, schemasOf, urns, type Attribute, type ResourceType } from "./attributes.ts";

export interface AttributePath {
  /** Set for an attribute of the enterprise extension. */
  isExtension: boolean;
  /** Undefined for the extension as a whole. */
  attribute: Attribute | undefined;
  sub: Attribute | undefined;
}

const byName = (list: readonly Attribute[], name: string) =>
  list.find((attribute) => attribute.name.toLowerCase() === name);

/** The attribute of a name; undefined if the schemas have none. */
export function findAttribute(type: ResourceType, text: string): AttributePath | undefined {
  const lower = text.toLowerCase();
  for (const { urn, attributes } of schemasOf[type]) {
    const isExtension = urn === urns.enterprise;
    const prefix = urn.toLowerCase();
    if (lower === prefix)
      return isExtension ? { isExtension, attribute: undefined, sub: undefined } : undefined;
    if (!lower.startsWith(`${prefix}:`)) continue;
    return inAttributes(lower.slice(prefix.length + 1), attributes, isExtension);
  }
  const [core] = schemasOf[type];
  return inAttributes(lower, [...commonAttributes, ...core!.attributes], false);
}

/** Names that a body may repeat from the resource. */
const own = new Set(["schemas", urns.membership.toLowerCase()]);

/** Adds the names of a body that the schemas don't have. */
export function noteUnknown(type: ResourceType, body: Record<string, unknown>, ignored: Set<string>): void {
  for (const name of Object.keys(body))
    if (!own.has(name.toLowerCase()) && !findAttribute(type, name)) ignored.add(name);
}

function inAttributes(
  name: string,
  attributes: readonly Attribute[],
  isExtension: boolean,
): AttributePath | undefined {
  const [first = "", second, ...rest] = name.split(".");
  const attribute = byName(attributes, first);
  if (!attribute || rest.length > 0) return undefined;
  if (second === undefined) return { isExtension, attribute, sub: undefined };
  const sub = attribute.sub && byName(attribute.sub, second);
  return sub && { isExtension, attribute, sub };
}
