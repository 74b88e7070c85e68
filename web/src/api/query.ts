/**
 * Queries of the API, from its types. The key of each begins with its path and its parameters, so that a path, or a
 * path with some parameters, names all queries that read it.
 */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../generated/api-types.ts";
import { api, ok } from "./client.ts";

interface Data {
  data: unknown;
}
/** Paths that are read, with the bodies of their responses. */
type Bodies = {
  [P in keyof paths as paths[P] extends Readable<Data> ? P : never]: paths[P] extends Readable<infer Body>
    ? Body
    : never;
};
interface Readable<Body> {
  get: { responses: { 200: { content: { "application/json": Body } } } };
}
export type Path = keyof Bodies;
/** Paths of lists that are read by cursors. */
type ListPath = { [P in Path]: Bodies[P] extends Page ? P : never }[Path];
interface Page extends Data {
  data: unknown[];
  nextCursor: string | null;
}

/** Parameters of a path and of its query string, in one object. */
type Params<P extends Path> = paths[P] extends { get: { parameters: infer All } }
  ? (All extends { path: infer Values } ? Values : unknown) &
      (All extends { query?: infer Values } ? Values : unknown)
  : never;
type Given<P extends Path> = object extends Params<P> ? [params?: Params<P>] : [params: Params<P>];
type Selection = Record<string, unknown>;

/** The parameters that are given: undefined, and the empty text of a field, select nothing. */
const given = (params: Selection = {}): Selection =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== ""));

/** Reads a path. A parameter that is not in the path belongs to the query string. */
function read<P extends Path>(path: P, params: Selection, signal: AbortSignal): Promise<Bodies[P]> {
  const entries = Object.entries(params);
  const isInPath = ([name]: [string, unknown]) => path.includes(`{${name}}`);
  const ofPath = Object.fromEntries(entries.filter(isInPath));
  const ofQuery = Object.fromEntries(entries.filter((entry) => !isInPath(entry)));
  return ok(api.GET(path as never, { signal, params: { path: ofPath, query: ofQuery } } as never));
}

/** The data that a path returns. */
export function query<P extends Path>(path: P, ...[params]: Given<P>) {
  const values = given(params as Selection);
  return queryOptions({
    queryKey: [path, values],
    queryFn: async ({ signal }): Promise<Bodies[P]["data"]> => (await read(path, values, signal)).data,
  });
}

/** A list, page by page. */
export function pages<P extends ListPath>(path: P, ...[params]: Given<P>) {
  const values = given(params as Selection);
  return infiniteQueryOptions({
    queryKey: [path, values, "pages"],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => read(path, given({ ...values, cursor: pageParam }), signal),
    getNextPageParam: (last) => last.nextCursor,
  });
}

/** A list whose length the service limits, as a whole. */
export function whole<P extends ListPath>(path: P, ...[params]: Given<P>) {
  const values = given(params as Selection);
  return queryOptions({
    queryKey: [path, values, "whole"],
    queryFn: async ({ signal }) => {
      const items: Bodies[P]["data"][number][] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: Bodies[P] = await read(path, given({ ...values, cursor }), signal);
        items.push(...page.data);
        cursor = page.nextCursor;
      }
      return items;
    },
  });
}

/** Whether a query has a parameter with a value, such as the reference of a skill. */
export const hasParam =
  (value: string) =>
  ({ queryKey: [, params] }: { queryKey: readonly unknown[] }): boolean =>
    typeof params === "object" && params !== null && Object.values(params).includes(value);
