/**
 * Turns filters into queries of the database. Fields come from a fixed map of the schema table, never from a request,
 * and texts are compared by escaped patterns.
 */
import type { Compare } from "scim2-parse-filter";
import { escapePattern } from "../../../storage/escape-pattern.ts";
import { foldName } from "../../users/schema.ts";
import { badInput } from "../errors.ts";
import type { Attribute, ResourceType } from "../schema/attributes.ts";
import { findAttribute, type AttributePath } from "../schema/paths.ts";
import { readComparison, type Comparison, type Operator } from "./compare.ts";
import type { Filter } from "./parse.ts";

interface Field {
  name: string;
  /** `folded`: the field has folded texts; `exact`: as they are; `text`: compared without case. */
  form: "folded" | "exact" | "text";
  attribute: Attribute;
  /** It belongs to the values of a list. */
  isInList?: boolean;
}

/** Fields of the documents that are not named after their attribute. */
const ownFields: Record<ResourceType, Record<string, Pick<Field, "name" | "form">>> = {
  User: {
    id: { name: "_id", form: "exact" },
    externalId: { name: "externalId", form: "exact" },
    userName: { name: "userNameKey", form: "folded" },
    active: { name: "active", form: "exact" },
    emails: { name: "emailKeys", form: "folded" },
    "emails.value": { name: "emailKeys", form: "folded" },
    groups: { name: "teamIds", form: "exact" },
    "groups.value": { name: "teamIds", form: "exact" },
    "meta.created": { name: "createdAt", form: "exact" },
    "meta.lastModified": { name: "updatedAt", form: "exact" },
  },
  Group: {
    id: { name: "_id", form: "exact" },
    externalId: { name: "externalId", form: "exact" },
    displayName: { name: "displayNameKey", form: "folded" },
    members: { name: "memberIds", form: "exact" },
    "members.value": { name: "memberIds", form: "exact" },
    "meta.created": { name: "createdAt", form: "exact" },
    "meta.lastModified": { name: "updatedAt", form: "exact" },
  },
};

/** Throws `invalidFilter`. */
export function toQuery(type: ResourceType, filter: Filter): object {
  switch (filter.op) {
    case "and":
    case "or":
      return { [`$${filter.op}`]: filter.filters.map((one) => toQuery(type, one)) };
    case "not":
      return { $nor: [toQuery(type, filter.filter)] };
    case "[]":
      return listQuery(type, filter.attrPath, filter.valFilter);
    case "pr":
      return { [presenceOf(type, filter.attrPath)]: { $exists: true, $nin: [null, [], {}] } };
    default: {
      if (filter.attrPath.toLowerCase() === "meta.resourcetype") return ofType(type, filter);
      const field = fieldOf(type, filter.attrPath);
      const comparison = readComparison(field.attribute, filter);
      return inOrder(field, comparison) ?? { [field.name]: condition(field, comparison) };
    }
  }
}

/** The field whose presence an attribute has; a complex one without a `value` counts as a whole. */
function presenceOf(type: ResourceType, text: string): string {
  const path = findAttribute(type, text);
  if (path && !path.attribute) return "attributes.enterprise";
  if (!path?.attribute?.sub || path.sub || valueOf(path.attribute)) return fieldOf(type, text).name;
  return path.attribute.name === "meta" ? "createdAt" : storedName(path);
}

/** All resources of the type, or none. */
function ofType(type: ResourceType, { op, compValue }: Compare): object {
  if (op !== "eq" && op !== "ne")
    throw badInput("invalidFilter", '"meta.resourceType" can be compared by "eq" and "ne" only.');
  return (compValue === type) === (op === "eq") ? {} : { $nor: [{}] };
}

/** Texts in their order without case. The texts of a list are compared as they are, by `condition`. */
function inOrder({ name, form, isInList }: Field, { operator, value }: Comparison): object | undefined {
  const comparison = order[operator];
  if (!comparison || form !== "text" || isInList || typeof value !== "string") return undefined;
  const both = [{ $toLower: `$${name}` }, { $literal: value.toLowerCase() }];
  return { [name]: { $type: "string" }, $expr: { [comparison]: both } };
}

/** The field that an attribute is sorted or filtered by. Throws `invalidFilter`. */
export function fieldOf(type: ResourceType, text: string): Field {
  const path = findAttribute(type, text);
  if (!path?.attribute) throw unknownAttribute(text);
  const { attribute, sub } = path;
  const names = Object.hasOwn(ownFields, type) ? ownFields[type] : {};
  const key = sub ? `${attribute.name}.${sub.name}` : attribute.name;
  const own = path.isExtension || !Object.hasOwn(names, key) ? undefined : names[key];
  const main = sub ?? valueOf(attribute);
  if (own && main) return { ...own, attribute: main };
  if (
    type === "Group" ||
    !main ||
    attribute.mutability === "readOnly" ||
    attribute.mutability === "writeOnly"
  )
    throw unknownAttribute(text);
  const form = main.type === "boolean" ? "exact" : "text";
  return { name: storedName(path, main), form, attribute: main, isInList: attribute.multiValued === true };
}

/** A complex attribute is compared by its `value`. */
function valueOf(attribute: Attribute): Attribute | undefined {
  return attribute.sub ? attribute.sub.find(({ name }) => name === "value") : attribute;
}

function storedName({ isExtension, attribute }: AttributePath, main?: Attribute): string {
  const base = `attributes.${isExtension ? "enterprise." : ""}${attribute!.name}`;
  return attribute!.sub && main ? `${base}.${main.name}` : base;
}

/** `emails[…]`: one value of the list has to match the whole filter. */
function listQuery(type: ResourceType, text: string, filter: Filter): object {
  const path = findAttribute(type, text);
  const attribute = path?.attribute;
  if (!path || path.sub || !attribute?.sub || !attribute.multiValued) throw unknownAttribute(text);
  if (attribute.mutability === "readOnly" || type === "Group") return idsQuery(type, attribute.name, filter);
  return {
    [`attributes.${attribute.name}`]: { $elemMatch: elementQuery(attribute.sub, filter) },
  };
}

/** Lists that are stored as ids can be compared by `value` only. */
function idsQuery(type: ResourceType, name: string, filter: Filter): object {
  switch (filter.op) {
    case "and":
    case "or":
      return { [`$${filter.op}`]: filter.filters.map((one) => idsQuery(type, name, one)) };
    case "not":
      return { $nor: [idsQuery(type, name, filter.filter)] };
    case "[]":
      throw badInput("invalidFilter", "A filter inside brackets can't have brackets itself.");
    default:
      if (filter.attrPath.toLowerCase() !== "value") throw unknownAttribute(filter.attrPath);
      return toQuery(type, { ...filter, attrPath: `${name}.value` });
  }
}

function elementQuery(subs: readonly Attribute[], filter: Filter): object {
  switch (filter.op) {
    case "and":
    case "or":
      return { [`$${filter.op}`]: filter.filters.map((one) => elementQuery(subs, one)) };
    case "not":
      return { $nor: [elementQuery(subs, filter.filter)] };
    case "[]":
      throw badInput("invalidFilter", "A filter inside brackets can't have brackets itself.");
    case "pr":
      return { [subOf(subs, filter.attrPath).name]: { $exists: true } };
    default: {
      const attribute = subOf(subs, filter.attrPath);
      const form = attribute.type === "boolean" ? "exact" : "text";
      const field: Field = { name: attribute.name, form, attribute };
      return { [field.name]: condition(field, readComparison(attribute, filter)) };
    }
  }
}

function subOf(subs: readonly Attribute[], text: string): Attribute {
  const found = subs.find(({ name }) => name.toLowerCase() === text.toLowerCase());
  if (!found) throw unknownAttribute(text);
  return found;
}

const order: Partial<Record<Operator, string>> = { gt: "$gt", ge: "$gte", lt: "$lt", le: "$lte" };

function condition({ form }: Field, { operator, value }: Comparison): object {
  if (value === null) return operator === "eq" ? { $in: [null, []] } : { $nin: [null, []] };
  if (typeof value !== "string") {
    if (operator === "eq") return { $eq: value };
    return operator === "ne" ? { $ne: value } : { [order[operator]!]: value };
  }
  const text = form === "folded" ? foldName(value) : value;
  const comparison = order[operator];
  if (comparison) return { [comparison]: text };
  if (form !== "text" && (operator === "eq" || operator === "ne")) return { [`$${operator}`]: text };
  const escaped = escapePattern(text);
  const start = operator === "co" || operator === "ew" ? "" : "^";
  const end = operator === "co" || operator === "sw" ? "" : "$";
  const pattern = { $regex: `${start}${escaped}${end}`, ...(form === "text" ? { $options: "i" } : {}) };
  return operator === "ne" ? { $not: pattern } : pattern;
}

function unknownAttribute(text: string) {
  return badInput("invalidFilter", `"${text.slice(0, 100)}" is not an attribute that can be filtered by.`);
}
