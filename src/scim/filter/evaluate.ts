/** Evaluates the filter of a path in PATCH on the values of a list, such as `emails[type eq "work"]`. */
import type { ScimValue } from "../../../storage/scim/users.ts";
import { foldName } from "../../users/schema.ts";
import { badInput } from "../errors.ts";
import type { Attribute } from "../schema/attributes.ts";
import type { ScimObject } from "../schema/values.ts";
import { readComparison, type Operator } from "./compare.ts";
import type { Filter } from "./parse.ts";

/** Whether a value of a list matches. Throws `invalidFilter` for attributes that its values don't have. */
export function matches(filter: Filter, subs: readonly Attribute[], value: ScimObject): boolean {
  switch (filter.op) {
    case "and":
      return filter.filters.every((one) => matches(one, subs, value));
    case "or":
      return filter.filters.some((one) => matches(one, subs, value));
    case "not":
      return !matches(filter.filter, subs, value);
    case "[]":
      throw badInput("invalidFilter", "A filter inside brackets can't have brackets itself.");
    case "pr":
      return value[attributeOf(subs, filter.attrPath).name] !== undefined;
    default: {
      const attribute = attributeOf(subs, filter.attrPath);
      const { operator, value: wanted } = readComparison(attribute, filter);
      return compare(operator, value[attribute.name], wanted, attribute.caseExact === true);
    }
  }
}

function attributeOf(subs: readonly Attribute[], name: string): Attribute {
  const found = subs.find((sub) => sub.name.toLowerCase() === name.toLowerCase());
  if (!found) throw badInput("invalidFilter", `"${name.slice(0, 100)}" is not an attribute of these values.`);
  return found;
}

function compare(
  operator: Operator,
  actual: ScimValue | undefined,
  wanted: string | boolean | Date | null,
  isExact: boolean,
): boolean {
  if (wanted === null) return (operator === "eq") === (actual === undefined);
  if (typeof wanted === "boolean" || typeof actual === "boolean")
    return (operator === "eq") === ((actual ?? false) === wanted);
  if (typeof actual !== "string") return operator === "ne";
  const fold = (text: string) => (isExact ? text : foldName(text));
  const [left, right] = [fold(actual), fold(String(wanted))];
  const results: Record<Operator, boolean> = {
    eq: left === right,
    ne: left !== right,
    co: left.includes(right),
    sw: left.startsWith(right),
    ew: left.endsWith(right),
    gt: left > right,
    ge: left >= right,
    lt: left < right,
    le: left <= right,
  };
  return results[operator];
}
