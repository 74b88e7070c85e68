/**
 * The parts of a request that remove access. They take effect even if the rest of the request is refused: the identity
 * provider may never send them in another form.
 */
import type { ScimValue } from "../../../storage/scim/users.ts";
import { ScimError } from "../errors.ts";
import { userAttributes } from "../schema/attributes.ts";
import { findAttribute } from "../schema/paths.ts";
import { isObject, ownValue, readValue } from "../schema/values.ts";
import { applyOperation, copyGroup, readMembers, type GroupAttributes } from "./group.ts";
import { hasTooManyFilters, readOperations } from "./operations.ts";

const active = userAttributes.find(({ name }) => name === "active")!;

/** Whether the body of a PUT or PATCH deactivates the user: its last readable value of `active` is false. */
export function isDeactivation(body: unknown): boolean {
  if (!isObject(body)) return false;
  let result: ScimValue | undefined;
  for (const { path, value } of activations(body)) {
    const named = path ? [[path, value] as const] : isObject(value) ? Object.entries(value) : [];
    for (const [name, given] of named)
      if (typeof name === "string" && findAttribute("User", name.trim())?.attribute === active)
        result = orUndefined(() => readValue(active, given)) ?? result;
  }
  return result === false;
}

/** The parts that may set `active`: the body of a PUT as a whole, or the operations of a PATCH. */
function activations(body: Record<string, unknown>): { path?: unknown; value: unknown }[] {
  const operations = ownValue(body, "Operations");
  if (!Array.isArray(operations)) return [{ value: body }];
  return operations.filter(isObject).flatMap((one) => {
    const op = ownValue(one, "op");
    const isSetting = typeof op === "string" && /^(?:add|replace)$/i.test(op);
    return isSetting ? [{ path: ownValue(one, "path"), value: ownValue(one, "value") }] : [];
  });
}

/** The members whom the body of a PUT or PATCH removes from a group, by the operations that can be read. */
export function removedMembers(id: string, given: GroupAttributes, body: unknown): Set<string> {
  if (!isObject(body)) return new Set();
  const operations = ownValue(body, "Operations");
  const members = ownValue(body, "members");
  let kept = given.members;
  if (Array.isArray(operations)) kept = membersAfter(id, given, operations);
  else if (members !== undefined) kept = new Set(orUndefined(() => readMembers(members)) ?? given.members);
  return new Set([...given.members].filter((member) => !kept.has(member)));
}

function membersAfter(id: string, given: GroupAttributes, operations: unknown[]): Set<string> {
  if (hasTooManyFilters(operations)) return given.members;
  const group = copyGroup(given);
  const ignored = new Set<string>();
  for (const one of operations)
    orUndefined(() => {
      for (const operation of readOperations("Group", { operations: [one] }, ignored))
        applyOperation(group, id, operation, ignored);
    });
  return group.members;
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    return undefined;
  }
}
