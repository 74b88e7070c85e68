/** `--limit <n>`: the maximum number of listed items. */
import { invalidArgument } from "../errors.ts";

/** Throws `E_INVALID_ARGUMENT` unless the text is a number from 1 to 10000. */
export function parseLimit(text: string | undefined, defaultLimit: number): number {
  if (text === undefined) return defaultLimit;
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 10_000)
    throw invalidArgument("--limit", "--limit takes a number from 1 to 10000.");
  return limit;
}
