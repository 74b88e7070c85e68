/** The koa application: every request passes through it, in this order, and no feature sees koa. */
import { randomUUID } from "node:crypto";
import Router from "@koa/router";
import Koa, { type Context } from "koa";
import compress from "koa-compress";
import { ServiceError } from "../errors.ts";
import { requestContext } from "../log.ts";
import { presentFailure, toServiceError } from "./errors.ts";
import { handleRoute, nothingAt, type RouteServices } from "./handle-route.ts";
import type { Route } from "./route.ts";
import { securityHeaders } from "./security.ts";

export interface HttpOptions extends RouteServices {
  routes: Route[];
  trustProxy: boolean;
  observe?(request: { method: string; route: string; status: number; seconds: number }): void;
}

export function createHttp(options: HttpOptions): Koa {
  // Proxies append, so only the last address was seen by ours; those before it are claims of the caller.
  const koa = new Koa({ proxy: options.trustProxy, maxIpsCount: 1 });
  const router = new Router();
  for (const declared of options.routes) {
    router.register(declared.path, [declared.method], (ctx) => handleRoute(ctx, declared, options));
  }
  koa.on("error", (error: NodeJS.ErrnoException) => {
    // A client that closed the connection during the response is not an error of the service.
    if (!["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECANCELED"].includes(error.code ?? "")) {
      options.log.error({ error }, "a response could not be sent");
    }
  });
  koa.use((ctx, next) => observed(ctx, next, options));
  koa.use((ctx, next) => securityFor(options)(ctx, next));
  koa.use(tagEncodings);
  koa.use(acceptIdentity);
  koa.use(
    compress({
      threshold: 2048,
      filter: (type) => /json|html|css|javascript|text\/markdown/.test(type),
    }),
  );
  koa.use((ctx, next) => guarded(ctx, next, options));
  koa.use(router.routes());
  koa.use((ctx) => {
    const matched = (ctx.matched ?? []) as { methods: string[] }[];
    const offered = [...new Set(matched.flatMap((layer) => layer.methods))];
    if (offered.length === 0) throw nothingAt(ctx);
    ctx.set("allow", offered.join(", "));
    throw new ServiceError(
      "method_not_allowed",
      `${ctx.method} is not offered here: use ${offered.join(" or ")}.`,
    );
  });
  return koa;
}

/** A strong tag promises equal bytes, which a compressed body and its plain one are not (RFC 9110, section 8.8.1). */
async function tagEncodings(ctx: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const etag = ctx.res.getHeader("etag");
  if (typeof etag !== "string" || !etag.startsWith('"')) return;
  if (ctx.res.hasHeader("content-encoding")) ctx.set("etag", `W/${etag}`);
}

/** A caller that refuses every encoding gets the plain body (RFC 9110, section 12.5.3); compression would throw. */
async function acceptIdentity(ctx: Context, next: () => Promise<void>): Promise<void> {
  if (ctx.acceptsEncodings("br", "gzip", "deflate", "identity") === false) ctx.compress = false;
  await next();
}

/** The request id: the caller's own if it is well-formed, so that traces can be joined. */
function requestIdOf(ctx: Context): string {
  const given = ctx.get("x-request-id");
  return /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

async function observed(ctx: Context, next: () => Promise<void>, options: HttpOptions): Promise<void> {
  const requestId = requestIdOf(ctx);
  const started = process.hrtime.bigint();
  ctx.state["requestId"] = requestId;
  ctx.set("x-request-id", requestId);
  await requestContext.run({ requestId }, async () => {
    // Before anything else, so that a request that its caller aborts is logged as well.
    ctx.res.once("close", () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const routePath = (ctx.state["route"] as Route | undefined)?.path ?? "none";
      options.observe?.({ method: ctx.method, route: routePath, status: ctx.status, seconds });
      const entry = {
        requestId,
        method: ctx.method,
        route: routePath,
        status: ctx.status,
        ms: Math.round(seconds * 1e5) / 100,
      };
      options.log[ctx.status >= 500 ? "error" : "info"](entry, "request");
    });
    await next();
  });
}

const securityFor = (() => {
  let made: { https: boolean; middleware: ReturnType<typeof securityHeaders> } | undefined;
  return (options: HttpOptions) => {
    const https = options.baseUrl().startsWith("https:");
    if (made?.https !== https) made = { https, middleware: securityHeaders({ https }) };
    return made.middleware;
  };
})();

async function guarded(ctx: Context, next: () => Promise<void>, options: HttpOptions): Promise<void> {
  try {
    await next();
  } catch (thrown) {
    const error = toServiceError(thrown, options.translators, options.log);
    for (const name of ["etag", "cache-control", "content-disposition"]) ctx.remove(name);
    ctx.status = error.status;
    ctx.set("cache-control", "no-store");
    if (error.code === "rate_limited")
      ctx.set("retry-after", String(Number(error.details?.["retryAfterSeconds"] ?? 1)));
    if (error.code === "unavailable") ctx.set("retry-after", "1");
    const forGit = (ctx.state["route"] as Route | undefined)?.forGit === true;
    if (error.code === "unauthenticated")
      ctx.set("www-authenticate", `${forGit ? "Basic" : "Bearer"} realm="svc"`);
    // A caller that still sends would miss the response if the connection were closed: the rest is read and discarded,
    // up to the time limit of a request.
    if (!ctx.req.complete) ctx.req.resume();
    if (forGit) {
      ctx.type = "text/plain";
      ctx.body = `${error.message}\n`;
    } else ctx.body = presentFailure(error, ctx.state["requestId"] as string);
  }
}
