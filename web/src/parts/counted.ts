import { countText } from "../../../contract/count-text.ts";

const numbers = new Intl.NumberFormat("en");

export const count = (value: number): string => numbers.format(value);

/** A number with its noun: `1 download`, `2 downloads`. */
export const counted = countText;
