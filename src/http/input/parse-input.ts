/** Validates a part of a request. Throws `invalid_request` with the first issues. */
import type { z } from "zod";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import { invalidRequest } from "../../errors.ts";

/** Characters of a path and of a message. Both name fields of the caller, of which there can be thousands. */
const maxLength = 500;

/** `where`: the part in messages. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 10).map(({ path, message }) => ({
    path: path.join(".").slice(0, maxLength),
    message: cutAtWord(message.slice(0, 2 * maxLength), maxLength),
  }));
  const first = issues[0]!;
  const at = first.path === "" ? where : `"${first.path}" of ${where}`;
  throw invalidRequest(`Something is wrong with ${at}: ${first.message.replace(/\.?$/, ".")}`, { issues });
}
