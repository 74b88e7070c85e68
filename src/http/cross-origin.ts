/**
 * Reads by pages of other origins (CORS). They get what anyone may read: responses to requests with a session or a token
 * are for the service's own pages and for programs. Browsers expose none of them, even if they sent a cookie.
 */
import type { Context } from "koa";
import { sessionCookieName } from "./cookies.ts";
import { Reply, route, type Route } from "./route.ts";

const shared = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Content-Disposition, ETag, Retry-After, X-Request-Id",
};

/** Lets pages of other origins read the response, whether it will be a success or a failure. */
export function shareResponse(ctx: Context, { crossOrigin }: Route, baseUrl: string): void {
  if (crossOrigin === undefined) return;
  if (crossOrigin === "anonymous") {
    // A cache must not give the response of one kind of request to the other.
    ctx.vary(["Authorization", "Cookie"]);
    const { authorization, "x-svc-signature": signature } = ctx.headers;
    if (authorization !== undefined || signature !== undefined) return;
    if (ctx.cookies.get(sessionCookieName(baseUrl)) !== undefined) return;
  }
  ctx.set(shared);
}

/**
 * The routes, and with each path that pages of other origins may read the answer to the question of their browsers. Pages
 * can send `Authorization` only where it is ignored; Chromium's wildcard would include it.
 */
export function withPreflights(routes: readonly Route[]): Route[] {
  const preflights = routes.flatMap(({ path, crossOrigin }) => {
    if (crossOrigin === undefined) return [];
    const headers = {
      ...shared,
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers":
        crossOrigin === "always" ? "*, Authorization" : "Content-Type, If-None-Match, X-Request-Id",
      "access-control-max-age": "86400",
    };
    return route({
      method: "options",
      path,
      summary: "What pages of other origins may send",
      tag: "Pages",
      auth: "none",
      handle: async () => new Reply(undefined, { status: 204, headers }),
    });
  });
  return [...routes, ...preflights];
}
