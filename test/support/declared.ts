/** Validates every response against its route's declaration: payloads strictly, failures against the closed table. */
import assert from "node:assert/strict";
import { z } from "zod";
import { failures, type FailureCode } from "../../contract/errors.ts";
import { failureCodesOf } from "../../src/http/openapi/failures.ts";
import type { Route } from "../../src/http/route.ts";

/** Routes whose bodies follow another standard (RFC 8628). */
const foreign = /^\/api\/auth\/device\//;

export interface CheckedAnswer {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

/** A check of one response against the routes it may come from; throws if it deviates. */
export function declaredAnswers(routes: readonly Route[]): (answer: CheckedAnswer) => void {
  // A path without parameters takes precedence, as in the router.
  const patterns = routes
    .map((route) => ({ route, pattern: patternOf(route.path), count: route.path.split(/[:*]/).length }))
    .sort((a, b) => a.count - b.count);
  return (answer) => {
    const { pathname } = new URL(answer.path, "http://service");
    assert.match(answer.headers.get("x-request-id") ?? "", /^[\w.-]{8,64}$/);
    if (!pathname.startsWith("/api/") || pathname === "/api/openapi.json" || foreign.test(pathname)) return;
    if (answer.status === 304 || answer.method === "HEAD") return;
    if (answer.status === 301 || answer.status === 308)
      return assert.match(answer.headers.get("location") ?? "", /^\/api\//);
    const found = patterns.find(
      ({ route, pattern }) => route.method === answer.method.toLowerCase() && pattern.test(pathname),
    );
    if (answer.status >= 400) return checkFailure(answer, found?.route);
    assert.ok(found, `${answer.method} ${pathname} answered ${answer.status} without a declared route`);
    checkPayload(found.route, answer);
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace(/\*\w+/g, ".+")}$`);
}

/** Parsing strips what a schema does not name, so a response that equals its parsed form has no other fields. */
function checkPayload(route: Route, answer: CheckedAnswer): void {
  const name = `${answer.method} ${route.path}`;
  assert.equal(answer.status, route.status ?? 200, `${name}: status`);
  if (route.produces) return;
  const body = answer.body as Record<string, unknown>;
  assert.equal(body["success"], true, `${name}: success`);
  const keys = ["success", ...(route.data ? ["data"] : []), ...(route.page ? ["nextCursor"] : [])];
  const fields = Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));
  assert.deepEqual(fields, z.object(route.pageFields ?? {}).parse(fields), `${name}: fields of the envelope`);
  assert.ok(
    keys.every((key) => key in body),
    `${name}: keys of the envelope`,
  );
  if (!route.data) return;
  const items = route.page ? (body["data"] as unknown[]) : [body["data"]];
  for (const item of items) assert.deepEqual(item, route.data.parse(item), `${name}: payload`);
  if (route.page) assert.ok(body["nextCursor"] === null || typeof body["nextCursor"] === "string");
}

function checkFailure(answer: CheckedAnswer, route: Route | undefined): void {
  const body = answer.body as Record<string, unknown>;
  const shown = `${answer.method} ${answer.path}: ${JSON.stringify(body).slice(0, 500)}`;
  const code = body["code"] as FailureCode;
  assert.ok(Object.hasOwn(failures, code), `unknown code in ${shown}`);
  assert.equal(answer.status, failures[code].status, shown);
  // A path that a fixed route takes looks like one with a parameter, whose methods it does not have.
  assert.ok(
    !route || code === "method_not_allowed" || failureCodesOf(route).includes(code),
    `${shown}: add "${code}" to the failures of ${route?.id} in its route`,
  );
  assert.equal(body["success"], false, shown);
  assert.equal(body["requestId"], answer.headers.get("x-request-id"), shown);
  assert.ok(
    typeof body["error"] === "string" && /^\S.*[.!]$/s.test(body["error"]),
    `no sentence in ${shown}`,
  );
  const others = Object.keys(body).filter(
    (key) => !["success", "error", "code", "details", "requestId"].includes(key),
  );
  assert.deepEqual(others, [], shown);
}
