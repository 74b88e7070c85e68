/**
 * Pages of lists whose handlers return all items, since a limit keeps the lists short: a GET route whose `data` is an
 * array. Its callers get all of it unless they ask for less.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { Page, type Route } from "../route.ts";
import { decodeCursor, encodeCursor, listQuery } from "./cursor.ts";

/** The last item of a page: a digest of the fields that identify it, and its position. */
const LastItem = z.tuple([z.string().max(22), z.number().int().min(0)]);

/** The routes, where those of whole lists take `limit` and `cursor`, and respond with pages. */
export const withPages = (routes: Route[]): Route[] => routes.map(pageWhole);

function pageWhole(declared: Route): Route {
  const { method, data, query, handle, produces, pageBy = ["id"] } = declared;
  if (method !== "get" || produces !== undefined || !(data instanceof z.ZodArray)) return declared;
  if (query !== undefined && !(query instanceof z.ZodObject))
    throw new Error(`the query of ${declared.path} can't have the parameters of a page`);
  const max = maxItemsOf(data);
  const limit = z.coerce.number().int().min(1).max(max).default(max).meta(listQuery.limit.meta()!);
  const PageQuery = z.object({ ...query?.shape, limit, cursor: listQuery.cursor });
  return {
    ...declared,
    page: true,
    data: data.element as z.ZodType,
    list: data,
    query: PageQuery,
    async handle(call) {
      const items = (await handle(call)) as Record<string, unknown>[];
      return pageOf(items, pageBy, call.query as z.output<typeof PageQuery>);
    },
  };
}

function pageOf(
  items: readonly Record<string, unknown>[],
  pageBy: readonly string[],
  { limit, cursor }: { limit: number; cursor?: string },
): Page<unknown> {
  const keyOf = (item: Record<string, unknown>) =>
    createHash("sha256")
      .update(JSON.stringify(pageBy.map((name) => item[name])))
      .digest("base64url")
      .slice(0, 22);
  const last = decodeCursor(cursor, LastItem);
  const found = last ? items.findIndex((item) => keyOf(item) === last[0]) : -1;
  // If the item is gone, the next one has its position.
  const from = found === -1 ? (last?.[1] ?? 0) : found + 1;
  const end = from + limit;
  const shown = items.slice(from, end);
  if (end >= items.length) return new Page(shown, null);
  return new Page(shown, encodeCursor([keyOf(shown.at(-1)!), end - 1]));
}

/** Throws for an array without a limit. */
function maxItemsOf(data: z.ZodArray): number {
  const { maxItems } = z.toJSONSchema(data, { unrepresentable: "any" });
  if (maxItems === undefined) throw new Error("a list without a limit needs pages of its own");
  return maxItems;
}
