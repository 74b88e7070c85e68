/** The query of a request. A mistyped filter must not select everything, so the API refuses parameters by name. */
import type { Context } from "koa";
import { z } from "zod";
import { suggest } from "../../../contract/text/suggest.ts";
import { invalidRequest } from "../../errors.ts";
import { readCursor } from "../request/cursor.ts";
import type { Route } from "../route.ts";
import { parseInput } from "./parse-input.ts";

/** The validated query, undefined for a route without one. Throws `invalid_request`. */
export function readQuery(ctx: Context, declared: Route): unknown {
  const given = { ...ctx.query };
  const known = knownParameters(declared);
  const unknown = known && Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownParameter(declared, unknown, known!);
  if (declared.page && typeof given["cursor"] === "string")
    given["cursor"] = readCursor(declared.path, given["cursor"]);
  return declared.query && parseInput(declared.query, given, "the query");
}

/**
 * Names of the parameters of a route; undefined if it takes any. Those are pages, whose links get parameters from
 * others, and endpoints whose standards or callers add their own.
 */
export function knownParameters({ path, query, oauthFailures }: Route): string[] | undefined {
  if (!path.startsWith("/api/") || oauthFailures) return undefined;
  if (!query) return [];
  const schema = query instanceof z.ZodPipe ? query.in : query;
  if (!(schema instanceof z.ZodObject)) return undefined;
  return schema.def.catchall ? undefined : Object.keys(schema.shape);
}

function unknownParameter({ method, path }: Route, name: string, known: string[]) {
  const near = suggest(name, known);
  const all = known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`;
  const remedy = near === undefined ? all : `Use "${near}".`;
  return invalidRequest(
    `"${name.slice(0, 50)}" is not a query parameter of ${method.toUpperCase()} ${path}. ${remedy}`,
    { parameter: name.slice(0, 50), known },
  );
}
