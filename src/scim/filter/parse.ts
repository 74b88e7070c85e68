/**
 * Filters (RFC 7644, section 3.4.2.2). The parser is recursive and has expressions that backtrack, so length, depth and
 * characters are limited before it runs.
 */
import { parse, type Filter } from "scim2-parse-filter";
import { isOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { badInput } from "../errors.ts";

export type { Filter };

/** Throws `invalidFilter`. */
export function parseFilter(given: string): Filter {
  if (given.length > limits.scimFilter)
    throw badInput("invalidFilter", `The filter has more than ${limits.scimFilter} characters.`);
  const text = withinBrackets(given);
  // A line break in a text that does not end would take the parser exponential time.
  if (!isOneLine(text)) throw badInput("invalidFilter", "The filter contains control characters.");
  if (depthOf(text) > limits.scimFilterDepth)
    throw badInput("invalidFilter", `The filter has more than ${limits.scimFilterDepth} levels.`);
  try {
    const literals: string[] = [];
    // The parser decodes no escapes but those of quotation marks, so it gets numbers in place of the texts.
    const filter = parse(text.replace(quotedText, (quoted) => `"${literals.push(decode(quoted)) - 1}"`));
    if (isKnown(filter) && !literals.some((one) => one.includes("\0"))) return withLiterals(filter, literals);
  } catch {
    // Reported below.
  }
  throw badInput(
    "invalidFilter",
    'The filter is not valid. Use a form such as userName eq "ada@example.com".',
  );
}

const quotedText = /"(?:[^"\\]|\\.)*"/g;

/** A JSON string. A backslash that begins no escape is literal, as in `"DOMAIN\ada"`. */
function decode(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return JSON.parse(quoted.replace(/\\(?!")/g, "\\\\")) as string;
  }
}

function withLiterals(filter: Filter, literals: readonly string[]): Filter {
  if (filter.op === "and" || filter.op === "or")
    return { ...filter, filters: filter.filters.map((one) => withLiterals(one, literals)) };
  if (filter.op === "not") return { ...filter, filter: withLiterals(filter.filter, literals) };
  if (filter.op === "[]") return { ...filter, valFilter: withLiterals(filter.valFilter, literals) };
  if (!("compValue" in filter) || typeof filter.compValue !== "string") return filter;
  return { ...filter, compValue: literals[Number(filter.compValue)] ?? "" };
}

/**
 * Moves the comparison of `emails[type eq "work"].value eq "x"` into the brackets, since the parser would take it for a
 * comparison of any value of the list.
 */
function withinBrackets(text: string): string {
  const masked = text.replace(quotedText, (quoted) => `"${"_".repeat(quoted.length - 2)}"`);
  let result = "";
  let from = 0;
  for (const found of masked.matchAll(
    /\[([^[\]]*)\]\.([\w$-]+\s+(?:pr\b|\w{2}\s+(?:"_*"|[^\s"()[\]]+)))/gi,
  )) {
    const [whole, selection = "", comparison = ""] = found;
    const open = found.index + 1;
    const end = found.index + whole.length;
    result += `${text.slice(from, open)}(${text.slice(open, open + selection.length)}) and `;
    result += `${text.slice(end - comparison.length, end)}]`;
    from = end;
  }
  return result + text.slice(from);
}

const comparisons = new Set<string>(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le", "pr"]);

/** The parser takes names of every object's properties, such as `constructor`, for operators. */
function isKnown(filter: Filter): boolean {
  if (filter.op === "and" || filter.op === "or") return filter.filters.every(isKnown);
  if (filter.op === "not") return isKnown(filter.filter);
  return filter.op === "[]" ? isKnown(filter.valFilter) : comparisons.has(filter.op);
}

/** Levels of parentheses, brackets and negations, each of which is a call of the parser. */
function depthOf(text: string): number {
  const outside = text.replace(quotedText, '""');
  let depth = 0;
  let most = 0;
  for (const [token] of outside.matchAll(/[()[\]]|\bnot\b/gi)) {
    if (token === ")" || token === "]") depth -= 1;
    else if (token === "(" || token === "[") most = Math.max(most, ++depth);
  }
  const negations = outside.match(/\bnot\b/gi)?.length ?? 0;
  return most + negations;
}
