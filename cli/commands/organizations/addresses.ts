/** E-mail addresses from a command line, a file or the standard input. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { limits } from "../../../contract/limits.ts";
import { emailAddress } from "../../../contract/names/email-address.ts";
import type { Context } from "../../context.ts";
import { invalidArgument, messageOf } from "../../errors.ts";

/** The addresses in their order, without repetitions. Throws `E_INVALID_ARGUMENT` if there are none. */
export async function readAddresses(
  context: Context,
  given: readonly string[],
  file: string | undefined,
): Promise<string[]> {
  const texts = [...given];
  if (file !== undefined) texts.push(await readSource(context, file));
  // Without any, a pipe is read; a terminal is not, since it would wait without a word.
  else if (given.length === 0 && !context.isTyped()) texts.push(await readSource(context, "-"));
  const byKey = new Map<string, string>();
  for (const address of texts.flatMap(addressesIn)) {
    const key = address.toLowerCase();
    if (!byKey.has(key)) byKey.set(key, address);
  }
  if (byKey.size > 0) return [...byKey.values()];
  throw invalidArgument(
    file === undefined ? "<address>" : "--file",
    "There are no e-mail addresses. Pass them as arguments, with --file <path>, or pipe them in.",
  );
}

/** Addresses are separated by commas, semicolons and line breaks, and may be written as `Name <address>`. */
function addressesIn(text: string): string[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|[\r\n]/)
    .filter((line) => !line.trimStart().startsWith("#"))
    .flatMap((line) => line.split(/[,;]/))
    .map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== "");
}

export function isAddress(text: string): boolean {
  return text.length <= limits.email && emailAddress.test(text);
}

async function readSource(context: Context, file: string): Promise<string> {
  try {
    return file === "-" ? await readAll(process.stdin) : await readFile(resolve(context.cwd, file), "utf8");
  } catch (error) {
    throw invalidArgument("--file", `${file} can't be read: ${messageOf(error)}.`);
  }
}
