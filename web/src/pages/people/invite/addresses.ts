/** Addresses in a pasted list, a column of a table, or a CSV file. */
import { emailAddress } from "../../../../../contract/names/email-address.ts";

export interface ReadAddresses {
  /** Each address once, in the order of the text. */
  addresses: string[];
  /** Parts that are meant as addresses and are not. */
  invalid: string[];
  /** Number of addresses that repeat an earlier one. */
  repeated: number;
}

/**
 * Reads a text. Entries are separated by commas, semicolons, tabs or lines; `Ada <ada@example.com>` is the address in
 * it. An entry without `@` is a column such as a name, if its line has an address, or the head of a table.
 */
export function readAddresses(text: string): ReadAddresses {
  const found = text.split(/[\r\n]+/).flatMap(readLine);
  const unique = new Map<string, string>();
  for (const entry of found) {
    const key = entry.toLowerCase();
    if (!unique.has(key)) unique.set(key, entry);
  }
  const entries = [...unique.values()];
  return {
    addresses: entries.filter((entry) => emailAddress.test(entry)),
    invalid: entries.filter((entry) => !emailAddress.test(entry)),
    repeated: found.length - entries.length,
  };
}

function readLine(line: string): string[] {
  if (line.includes("@")) return line.split(/[,;\t]/).flatMap(readEntry);
  const isHead = /mail|address/i.test(line);
  return isHead || line.trim() === "" ? [] : [line.trim()];
}

function readEntry(entry: string): string[] {
  const inBrackets = /<([^<>]+)>/.exec(entry)?.[1];
  const words = (inBrackets ?? entry).trim().split(/\s+/);
  return words
    .map((word) => word.replace(/^["'(]+|["').]+$/g, "").replace(/^mailto:/i, ""))
    .filter((word) => word.includes("@"));
}
