/** Security headers of every response, and the rules for pages of other origins: what they can read and send. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";
import type { Context } from "koa";
import type { Actor } from "../../access/actor.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { sessionCookieName } from "../request/cookies.ts";
import { Reply, route, type Route } from "../route.ts";

/** For pages: own style sheets, fonts and pictures, forms to ourselves, no script. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** For pages with a script of their own, inline with the nonce of the page, that talks to us. */
export const scriptedPolicy = (nonce: string) =>
  `${pagePolicy}; script-src 'nonce-${nonce}'; connect-src 'self'`;

/** For pages of the dashboard. Its libraries add style elements, which carry the nonce of the page. */
export const dashboardPolicy = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/**
 * For the page that draws the diagrams of strangers in a frame of the dashboard: its own script, and an origin of its
 * own, from which nothing can be sent or loaded. Other pages can't be framed, so that the dashboard can frame only it.
 */
export const diagramPolicy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts";

/** For the API description page, which runs its own scripts and shows inline pictures. */
export const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * For drawings of strangers (SVG): their own styles; no script, no form, nothing loaded, and an origin of their own.
 */
export const drawingPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/**
 * Names and values of the headers of every response, which depend on no request. Everything but pages, which have
 * policies of their own, is data: nothing in it may load, run or be framed.
 */
export function securityHeaders(options: { https: boolean }): [string, string][] {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: options.https ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: "same-origin" },
    frameguard: { action: "deny" },
    crossOriginResourcePolicy: { policy: "same-origin" },
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  setHeaders(response.req, response, (error) => {
    if (error) throw error as Error;
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

const unsafeMethods = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Refuses an unsafe call that another site could have made a browser send: one with a session cookie, or any one that
 * names a foreign origin. Calls with a bearer token or a signature carry no ambient authority and pass. By cookie, only
 * types are taken that no form of another site can send; a route that `takesBytes` is called by PUT, which no form can
 * either.
 */
export function checkOrigin(
  ctx: Context,
  actor: Actor,
  baseUrl: string,
  options: { takesBytes: boolean },
): void {
  if (!unsafeMethods.has(ctx.method) || ctx.get("authorization") !== "") return;
  if (actor.kind === "anonymous-key") return;
  const origin = ctx.get("origin");
  const bySession = actor.kind === "user" && actor.via.kind === "session";
  if (origin === "" && !bySession) return;
  if (origin !== new URL(baseUrl).origin) {
    throw forbidden(`This call must come from ${new URL(baseUrl).origin}: open the service by that address.`);
  }
  if (options.takesBytes && ctx.method === "PUT") return;
  if (bySession && ctx.request.length !== 0 && ctx.is("json", "multipart") === false) {
    throw new ServiceError(
      "unsupported_media_type",
      "A call by session cookie takes JSON or multipart/form-data.",
    );
  }
}

/**
 * Headers of what pages of other origins can read (CORS). They get what anyone may read: browsers withhold responses to
 * requests with a session or a token, which have none of these headers.
 */
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
 * The routes, with preflight responses for paths that pages of other origins may read. Pages can send
 * `Authorization` only where it is ignored; Chromium's wildcard would include it.
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
