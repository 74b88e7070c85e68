/** Applies a PATCH to a group. The given group is not changed, so that all of it applies or none. */
import { oneLineText } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { badInput, ScimError } from "../errors.ts";
import type { Filter } from "../filter/parse.ts";
import { isObject } from "../schema/values.ts";
import { readPath, type Operation, type PatchPath } from "./operations.ts";

export interface GroupAttributes {
  displayName: string;
  externalId: string | undefined;
  /** Ids of users; not checked. */
  members: Set<string>;
}

export interface PatchedGroup extends GroupAttributes {
  /** Members that an operation names, or all if the list was replaced. */
  touched: Set<string>;
}

/**
 * Adds the names of unknown attributes to `ignored`. Throws `mutability`, `invalidPath`, `invalidValue`, `noTarget` or
 * `invalidFilter`.
 */
export function patchGroup(
  id: string,
  given: GroupAttributes,
  operations: readonly Operation[],
  ignored: Set<string>,
): PatchedGroup {
  const group = copyGroup(given);
  for (const operation of operations) applyOperation(group, id, operation, ignored);
  return group;
}

export const copyGroup = (given: GroupAttributes): PatchedGroup => ({
  ...given,
  members: new Set(given.members),
  touched: new Set(),
});

/** Changes the group, as `patchGroup`. An operation without a path that is refused may have changed a part of it. */
export function applyOperation(
  group: PatchedGroup,
  id: string,
  { op, path, value }: Operation,
  ignored: Set<string>,
): void {
  if (path) change(group, op, path, value);
  else changeSeveral(group, id, op, value, ignored);
}

function changeSeveral(
  group: PatchedGroup,
  id: string,
  op: Operation["op"],
  value: unknown,
  ignored: Set<string>,
): void {
  if (!isObject(value)) throw badInput("invalidValue", "Without a path, the value must be an object.");
  for (const [key, one] of Object.entries(value)) {
    if (key.toLowerCase() === "schemas") continue;
    const path = readPath("Group", key);
    if (!path) ignored.add(key);
    else if (path.attribute?.name !== "id" || one !== id) change(group, op, path, one);
  }
}

function change(group: PatchedGroup, op: Operation["op"], path: PatchPath, value: unknown): void {
  const { sub, filter } = path;
  // Groups have no extension, whose path has no attribute.
  const attribute = path.attribute!;
  if (attribute.mutability === "readOnly")
    throw badInput("mutability", `"${attribute.name}" can't be changed.`);
  if (attribute.name === "members") return changeMembers(group, op, { sub: sub?.name, filter, value });
  if (attribute.name === "externalId") {
    group.externalId = op === "remove" || value === null ? undefined : readText("externalId", value);
    return;
  }
  if (op === "remove") throw badInput("mutability", '"displayName" is required and can\'t be removed.');
  group.displayName = readText("displayName", value);
}

function changeMembers(
  group: PatchedGroup,
  op: Operation["op"],
  { sub, filter, value }: { sub: string | undefined; filter: Filter | undefined; value: unknown },
): void {
  if (filter) {
    if (op !== "remove" || sub !== undefined)
      throw badInput("mutability", "Members that are selected by a filter can only be removed.");
    for (const id of idsOf(filter)) drop(group, id);
    return;
  }
  if (sub !== undefined) throw badInput("mutability", `"members.${sub}" can't be changed.`);
  if (op === "remove") {
    // Entra ID names the members to be removed in the value; without one, all are removed.
    const gone = value === undefined || value === null ? [...group.members] : readMembers(value);
    for (const id of gone) drop(group, id);
    return;
  }
  const given = readMembers(value);
  if (op === "replace") for (const id of group.members) drop(group, id);
  for (const id of given) {
    group.members.add(id);
    group.touched.add(id);
  }
}

function drop(group: PatchedGroup, id: string): void {
  group.members.delete(id);
  group.touched.add(id);
}

/** The ids of a filter, which may only compare `value` for equality. */
function idsOf(filter: Filter): string[] {
  if (filter.op === "or") return filter.filters.flatMap(idsOf);
  if (filter.op === "eq" && filter.attrPath.toLowerCase() === "value" && typeof filter.compValue === "string")
    return [filter.compValue];
  throw badInput("invalidFilter", 'Members are selected by their id: members[value eq "id"].');
}

/** Ids of members, as objects with `value` or as texts. */
export function readMembers(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > limits.scimMembersPerRequest)
    throw new ScimError(413, `The request names more than ${limits.scimMembersPerRequest} members.`, {
      scimType: "tooMany",
    });
  return given.map((one) => {
    const id: unknown = isObject(one) && Object.hasOwn(one, "value") ? one["value"] : one;
    if (typeof id !== "string" || id === "" || id.length > 100)
      throw badInput("invalidValue", 'A member must have the id of a user as its "value".');
    return id;
  });
}

export function readText(name: string, value: unknown): string {
  if (typeof value !== "string" || value.trim() === "")
    throw badInput("invalidValue", `"${name}" must be a text that is not empty.`);
  if (value.length > limits.scimText)
    throw badInput("invalidValue", `"${name}" is longer than ${limits.scimText} characters.`);
  if (!oneLineText.test(value)) throw badInput("invalidValue", `"${name}" contains control characters.`);
  return value;
}
