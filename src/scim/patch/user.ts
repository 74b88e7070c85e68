/**
 * Applies a PATCH to the attributes of a user. The given attributes are not changed, so that all of it applies or none.
 */
import { limits } from "../../../contract/limits.ts";
import type { ScimValue } from "../../../storage/scim/users.ts";
import { badInput, ScimError } from "../errors.ts";
import { matches } from "../filter/evaluate.ts";
import type { Filter } from "../filter/parse.ts";
import { urns, type Attribute } from "../schema/attributes.ts";
import { findAttribute } from "../schema/paths.ts";
import { emptyObject, isObject, readSingle, readValue, type ScimObject } from "../schema/values.ts";
import { readPath, type Operation, type PatchPath } from "./operations.ts";

/** Attributes of a user: `core` has userName, externalId and active as well. */
export interface UserAttributes {
  core: ScimObject;
  enterprise: ScimObject;
}

/**
 * Adds the names of unknown attributes to `ignored`. Throws `mutability`, `invalidPath`, `invalidValue`, `noTarget` or
 * `invalidFilter`.
 */
export function patchUser(
  id: string,
  given: UserAttributes,
  operations: readonly Operation[],
  ignored: Set<string>,
): UserAttributes {
  const user = { core: copyOf(given.core), enterprise: copyOf(given.enterprise), comparisons: 0 };
  for (const { op, path, value } of operations) {
    if (path) changeAttribute(user, op, path, value, ignored);
    else changeSeveral(user, id, op, value, ignored);
  }
  return { core: user.core, enterprise: user.enterprise };
}

interface PatchedUser extends UserAttributes {
  /** Number of comparisons with values of lists until now. */
  comparisons: number;
}

/** Counts the values of a list that are read and compared. Throws `tooMany`, since each takes a few microseconds. */
function countComparisons(user: PatchedUser, values: number, filter: Filter | undefined): void {
  user.comparisons += values * (1 + (filter ? comparisonsIn(filter) : 0));
  if (user.comparisons > limits.scimComparisons)
    throw new ScimError(
      413,
      "The operations compare too many values of lists: send fewer of them at a time.",
      { scimType: "tooMany" },
    );
}

function comparisonsIn(filter: Filter): number {
  if (filter.op === "and" || filter.op === "or")
    return filter.filters.reduce((sum, one) => sum + comparisonsIn(one), 0);
  return filter.op === "not" ? comparisonsIn(filter.filter) : 1;
}

/** Without a path, the value has attributes by their paths: with the URN of their schema, dotted or with a filter. */
function changeSeveral(
  user: PatchedUser,
  id: string,
  op: Operation["op"],
  value: unknown,
  ignored: Set<string>,
): void {
  if (!isObject(value)) throw badInput("invalidValue", "Without a path, the value must be an object.");
  for (const [key, one] of Object.entries(value)) {
    if (key.toLowerCase() === "schemas") continue;
    const path = readPath("User", key);
    if (!path) ignored.add(key);
    else if (path.attribute?.name !== "id" || one !== id) changeAttribute(user, op, path, one, ignored);
  }
}

function changeAttribute(
  user: PatchedUser,
  op: Operation["op"],
  path: PatchPath,
  value: unknown,
  ignored: Set<string>,
): void {
  const { attribute, sub, filter, isExtension } = path;
  const target = isExtension ? user.enterprise : user.core;
  if (!attribute) return changeExtension(user, op, value, ignored);
  const changed = sub ?? attribute;
  if (attribute.mutability === "readOnly" || changed.mutability === "readOnly")
    throw badInput("mutability", `"${changed.name}" can't be changed.`);
  if (attribute.mutability === "writeOnly") return;
  if (attribute.multiValued) countComparisons(user, listOf(target[attribute.name]).length, filter);
  if (attribute.multiValued) changeList(target, attribute, { op, filter, sub, value });
  else if (sub) changeSub(target, attribute, sub, op, value);
  else changeSingle(target, attribute, op, value);
}

function changeExtension(user: PatchedUser, op: Operation["op"], value: unknown, ignored: Set<string>): void {
  if (op === "remove") {
    user.enterprise = emptyObject();
    return;
  }
  if (!isObject(value)) throw badInput("invalidValue", "The value of an extension must be an object.");
  for (const [key, one] of Object.entries(value)) {
    const name = `${urns.enterprise}:${key}`;
    const path = findAttribute("User", name);
    if (path) changeAttribute(user, op, { ...path, filter: undefined }, one, ignored);
    else ignored.add(name);
  }
}

function changeSingle(target: ScimObject, attribute: Attribute, op: Operation["op"], value: unknown): void {
  const read = op === "remove" ? undefined : readValue(attribute, value);
  const present = target[attribute.name];
  if (read === undefined) delete target[attribute.name];
  // Sub-attributes that the value does not name stay.
  else if (isObject(read) && isObject(present)) Object.assign(present, read);
  else target[attribute.name] = read;
}

function changeSub(
  target: ScimObject,
  attribute: Attribute,
  sub: Attribute,
  op: Operation["op"],
  value: unknown,
): void {
  const present = target[attribute.name];
  const object: ScimObject = isObject(present) ? present : emptyObject();
  const read = op === "remove" ? undefined : readValue(sub, value);
  if (read === undefined) delete object[sub.name];
  else object[sub.name] = read;
  if (Object.keys(object).length > 0) target[attribute.name] = object;
  else delete target[attribute.name];
}

interface ListChange {
  op: Operation["op"];
  filter: Filter | undefined;
  sub: Attribute | undefined;
  value: unknown;
}

function changeList(target: ScimObject, attribute: Attribute, change: ListChange): void {
  const present = listOf(target[attribute.name]);
  const next = change.filter
    ? changeSelected(attribute, present, change, change.filter)
    : changeWhole(attribute, present, change);
  // Limits of a list apply to what it has become.
  const read = readValue(attribute, next) as ScimObject[];
  if (read.length > 0) target[attribute.name] = read;
  else delete target[attribute.name];
}

function changeWhole(
  attribute: Attribute,
  present: ScimObject[],
  { op, sub, value }: ListChange,
): ScimObject[] {
  if (sub) {
    const values = present.length > 0 || op === "remove" ? present : [emptyObject()];
    return values.map((one) => withSub(one, sub, op, value));
  }
  if (op === "remove") {
    if (value === undefined || value === null) return [];
    const gone = new Set(listOf(readValue(attribute, value)).map(keyOf));
    return present.filter((one) => !gone.has(keyOf(one)));
  }
  const given = listOf(readValue(attribute, value));
  return op === "replace" ? given : union(present, given);
}

function changeSelected(
  attribute: Attribute,
  present: ScimObject[],
  { op, sub, value }: ListChange,
  filter: Filter,
): ScimObject[] {
  const selected = new Set(present.filter((one) => matches(filter, attribute.sub!, one)));
  if (op === "remove") {
    if (!sub) return present.filter((one) => !selected.has(one));
    return present.map((one) => (selected.has(one) ? withSub(one, sub, op, undefined) : one));
  }
  if (selected.size === 0) return [...present, created(attribute, filter, { op, sub, value })];
  if (sub) return present.map((one) => (selected.has(one) ? withSub(one, sub, op, value) : one));
  const given = readSingle(attribute, value) as ScimObject | undefined;
  return present.flatMap((one) => {
    if (!selected.has(one)) return [one];
    return given ? [op === "add" ? Object.assign(emptyObject(), one, given) : given] : [];
  });
}

/**
 * Entra ID sets `emails[type eq "work"].value` or `roles[primary eq "True"].value` of a user who has none: the value is
 * created with what the filter names.
 */
function created(
  attribute: Attribute,
  filter: Filter,
  { op, sub, value }: Pick<ListChange, "op" | "sub" | "value">,
): ScimObject {
  const one = emptyObject();
  if (!describe(one, attribute, filter) || (!sub && op === "replace"))
    throw badInput("noTarget", `No value of "${attribute.name}" matches the filter of the path.`);
  return sub ? withSub(one, sub, op, value) : Object.assign(one, readSingle(attribute, value) ?? {});
}

/** Gives a value what a filter requires. False if the filter is more than attributes that have to be equal. */
function describe(one: ScimObject, attribute: Attribute, filter: Filter): boolean {
  if (filter.op === "and") return filter.filters.every((part) => describe(one, attribute, part));
  if (filter.op !== "eq" || filter.compValue === null) return false;
  const name = filter.attrPath.toLowerCase();
  const sub = attribute.sub!.find((known) => known.name.toLowerCase() === name);
  const value = sub && sub.name !== "value" ? readValue(sub, filter.compValue) : undefined;
  if (!sub || value === undefined) return false;
  one[sub.name] = value;
  return true;
}

function withSub(one: ScimObject, sub: Attribute, op: Operation["op"], value: unknown): ScimObject {
  const next = copyOf(one);
  const read = op === "remove" ? undefined : readValue(sub, value);
  if (read === undefined) delete next[sub.name];
  else next[sub.name] = read;
  return next;
}

/** Adds values that are not in the list; a new primary one is the only primary one. */
function union(present: ScimObject[], given: ScimObject[]): ScimObject[] {
  const known = new Set(present.map(keyOf));
  const added = given.filter((one) => !known.has(keyOf(one)));
  const kept = added.some((one) => one["primary"] === true)
    ? present.map((one) =>
        one["primary"] === true ? Object.assign(emptyObject(), one, { primary: false }) : one,
      )
    : present;
  return [...kept, ...added];
}

/** Values with the same `value` and type are the same; postal addresses have no `value`. */
function keyOf(one: ScimObject): string {
  return JSON.stringify(one["value"] === undefined ? one : [one["value"], one["type"] ?? null]);
}

const listOf = (value: ScimValue | undefined): ScimObject[] =>
  Array.isArray(value) ? (value as ScimObject[]) : [];

function copyOf(object: ScimObject): ScimObject {
  const copy = emptyObject();
  for (const [name, value] of Object.entries(object)) copy[name] = copyValue(value);
  return copy;
}

function copyValue(value: ScimValue): ScimValue {
  if (Array.isArray(value)) return value.map(copyValue);
  return isObject(value) ? copyOf(value) : value;
}
