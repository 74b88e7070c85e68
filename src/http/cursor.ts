/** Cursors of lists: the sort values of the last item, opaque to clients and checked when they come back. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { invalidRequest } from "../errors.ts";

/** The query parameters that every list takes. */
export const listQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.pageSizeMax)
    .default(limits.pageSizeDefault)
    .meta({ description: "items per page" }),
  cursor: z.string().max(500).optional().meta({ description: "nextCursor of the page before" }),
};

export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

/** Reads a cursor back by the shape of the list that made it. Throws `invalid_request`. */
export function decodeCursor<S extends z.ZodType>(
  cursor: string | undefined,
  shape: S,
): z.output<S> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw invalidRequest("The cursor is not one of this list: start again without it.");
  }
}
