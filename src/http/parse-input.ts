/** Validates a part of a request. Throws `invalid_request` with the first issues. */
import type { z } from "zod";
import { invalidRequest } from "../errors.ts";

/** `where`: the part in messages. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issues = result.error.issues
    .slice(0, 10)
    .map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const first = issues[0]!;
  const at = first.path === "" ? where : `"${first.path}" of ${where}`;
  throw invalidRequest(`Something is wrong with ${at}: ${first.message.replace(/\.?$/, ".")}`, { issues });
}
