/**
 * Cursors of lists: the sort values of the last item, opaque to clients and checked when they come back. Those of the
 * API also name their route, since other lists may have values of the same form.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { invalidRequest } from "../../errors.ts";
import { Page } from "../route.ts";

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
    throw foreignCursor();
  }
}

/** The last item of a list in the order of a time, then the id. 8.64e15 ms is the latest that a date can have. */
export const TimeCursor = z
  .tuple([z.number().int().min(0).max(8.64e15), z.string().max(200)])
  .transform(([time, id]) => ({ at: new Date(time), id }));

const markLength = 8;
const marks = new Map<string, string>();

/** Start of the cursors of a route, by its declared path. */
function markOf(path: string): string {
  let mark = marks.get(path);
  if (mark === undefined) {
    mark = createHash("sha256").update(path).digest("base64url").slice(0, markLength);
    marks.set(path, mark);
  }
  return mark;
}

/** A cursor as the route with this path returns it. */
export const writeCursor = (path: string, cursor: string): string => markOf(path) + cursor;

/** Reverses `writeCursor`. Throws `invalid_request` for a cursor of another route. */
export function readCursor(path: string, written: string): string {
  if (!written.startsWith(markOf(path))) throw foreignCursor();
  return written.slice(markLength);
}

const foreignCursor = () => invalidRequest("The cursor is not one of this list: start again without it.");

/**
 * A page of rows that were read with one more than `limit`, which shows whether others follow. `valuesOf`: sort values
 * of the last item, for the cursor.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  valuesOf: (last: Row) => readonly (string | number)[],
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return new Page(items, rows.length > limit && last !== undefined ? encodeCursor(valuesOf(last)) : null);
}

/** Paths may be too long for an address: a cursor has the beginning of one, and the items with it that were listed. */
const startLength = 200;
const PathCursor = z.tuple([z.string().max(startLength), z.number().int().min(1)]);

/** A page of items that are sorted by path, by code units. Throws `invalid_request`. */
export function pageByPath<T>(
  items: readonly T[],
  pathOf: (item: T) => string,
  { cursor, limit }: { cursor?: string; limit: number },
): Page<T> {
  const starts = items.map((item) => pathOf(item).slice(0, startLength));
  const at = decodeCursor(cursor, PathCursor);
  let from = 0;
  if (at) {
    const [start, listed] = at;
    const first = starts.findIndex((one) => one >= start);
    from = first === -1 ? items.length : first;
    for (let skipped = 0; skipped < listed && starts[from] === start; skipped++) from++;
  }
  const end = from + limit;
  if (end >= items.length) return new Page(items.slice(from), null);
  const last = starts[end - 1]!;
  return new Page(items.slice(from, end), encodeCursor([last, end - starts.indexOf(last)]));
}
