/** Comparison values of filters by the type of their attribute. */
import type { Compare } from "scim2-parse-filter";
import { badInput } from "../errors.ts";
import type { Attribute } from "../schema/attributes.ts";

export type Operator = Compare["op"];
const equality = new Set<string>(["eq", "ne"]);
const textual = new Set<string>(["co", "sw", "ew"]);

export interface Comparison {
  operator: Operator;
  /** Null stands for an absent attribute. */
  value: string | boolean | Date | null;
}

/** Throws `invalidFilter` for a value or operator that the attribute can't be compared with. */
export function readComparison(attribute: Attribute, { op: operator, compValue }: Compare): Comparison {
  const wrong = () =>
    badInput("invalidFilter", `"${attribute.name}" can't be compared by "${operator}" with this value.`);
  if (compValue === null) {
    if (!equality.has(operator)) throw wrong();
    return { operator, value: null };
  }
  if (attribute.type === "boolean") {
    const text = String(compValue).toLowerCase();
    if (!equality.has(operator) || (text !== "true" && text !== "false")) throw wrong();
    return { operator, value: text === "true" };
  }
  if (attribute.type === "dateTime") {
    const time = new Date(typeof compValue === "string" ? compValue : NaN);
    if (textual.has(operator) || Number.isNaN(time.getTime())) throw wrong();
    return { operator, value: time };
  }
  return { operator, value: String(compValue) };
}
