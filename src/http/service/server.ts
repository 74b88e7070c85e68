/** The koa application: every request passes through it, in this order, and no feature sees koa. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import Koa, { type Context } from "koa";
import { traced, type TracedWork } from "../../../contract/observation.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import { ServiceError, SkillRenamed, invalidRequest, nothingAt } from "../../errors.ts";
import { requestContext, tracksContext, type Log } from "../../log.ts";
import type { TrustedProxies } from "../../network-address.ts";
import { presentFailure, presentOauthFailure, toServiceError } from "../errors.ts";
import { handleRoute, type RouteServices } from "../handle-route.ts";
import { openByPage } from "../pages/pages.ts";
import { renamedPath } from "../renamed-path.ts";
import { findCallerBehind } from "../request/addresses.ts";
import { openRouteTable, type RouteTable } from "../route-table.ts";
import type { Route } from "../route.ts";
import { announceEncodings, encodeBody } from "./encoding.ts";
import { securityHeaders, shareResponse, withPreflights } from "./security.ts";

export interface HttpOptions extends Omit<RouteServices, "findCaller"> {
  routes: Route[];
  /** Pages at paths that no route offers with any method. Their patterns match every path of their length. */
  pages?: Route[];
  trustProxy: TrustedProxies;
  /** Networks whose callers have no limits per address. */
  exemptNetworks?: readonly string[];
  observe?(request: RequestEnd): void;
}

/** A request that was answered, or that its caller has aborted. */
export interface RequestEnd {
  method: string;
  /** Pattern of the route's path; "none" if no route has the path. */
  route: string;
  status: number;
  seconds: number;
  bytesReceived: number;
  bytesSent: number;
}

export function createHttp(options: HttpOptions): Koa {
  const koa = new Koa({ proxy: options.trustProxy !== 0 });
  koa.on("error", (error: NodeJS.ErrnoException) => {
    // A client that closed the connection during the response is not an error of the service.
    if (!["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECANCELED"].includes(error.code ?? "")) {
      options.log.error({ error }, "a response could not be sent");
    }
  });
  const table = openRouteTable(withPreflights(options.routes));
  const pages = openRouteTable(options.pages ?? []);
  const headers = securityFor(options);
  const services: RouteServices = {
    ...options,
    findCaller: findCallerBehind(options.trustProxy, options.exemptNetworks),
  };
  // The fields of a request's line contain no secrets, and looking for them takes longer than to write the line.
  const log = options.log.child({}, { redact: [] });
  // One function rather than one per concern: each further one costs every request a promise and its callbacks.
  const serve = async (ctx: Context): Promise<void> => {
    for (const [name, value] of headers()) ctx.res.setHeader(name, value);
    announceEncodings(ctx);
    try {
      const declared = routeOf(ctx, table, pages);
      shareResponse(ctx, declared, options.baseUrl());
      await handleRoute(ctx, declared, services);
      openByPage(ctx, declared, table);
    } catch (thrown) {
      presentError(ctx, thrown, options);
    }
    await encodeBody(ctx);
  };
  koa.use((ctx) => {
    const routeName = () => (ctx.state["route"] as Route | undefined)?.path ?? "none";
    const actor = () => ctx.state["actor"] as Actor | undefined;
    const requestId = observed(ctx.req, ctx.res, { log, observe: options.observe, routeName, actor });
    ctx.state["requestId"] = requestId;
    const run = () => (tracksContext ? requestContext.run({ requestId }, serve, ctx) : serve(ctx));
    return traced(tracedRequest(ctx, requestId, routeName), run);
  });
  return withoutKoa(koa, options.routes, (request, response, path) => {
    observed(request, response, { log, observe: options.observe, routeName: () => path });
    return headers();
  });
}

/** Has the request logged and counted, and returns the headers of every response. */
type Begin = (request: IncomingMessage, response: ServerResponse, path: string) => [string, string][];

const answered = Promise.resolve();

/**
 * The application, which answers requests of exactly the path of a route with `constant` before koa: a probe needs none
 * of its steps, and takes half the time.
 */
function withoutKoa(koa: Koa, routes: readonly Route[], begin: Begin): Koa {
  const bodies = new Map<string, string>();
  for (const { path, method, auth, constant } of routes)
    if (constant && method === "get" && auth === "none")
      bodies.set(path, JSON.stringify({ success: true, data: constant }));
  const callback = koa.callback.bind(koa);
  const answerOrHandle = () => {
    const handle = callback();
    return (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? "";
      const body = request.method === "GET" ? bodies.get(path) : undefined;
      if (body === undefined) return handle(request, response);
      for (const [name, value] of begin(request, response, path)) response.setHeader(name, value);
      response.setHeader("vary", "Accept-Encoding");
      response.setHeader("cache-control", "no-store");
      response.setHeader("content-type", "application/json; charset=utf-8");
      response.setHeader("content-length", Buffer.byteLength(body));
      response.end(body);
      return answered;
    };
  };
  // Its type includes requests by HTTP/2, which the service does not offer.
  koa.callback = answerOrHandle as Koa["callback"];
  return koa;
}

/** The request id: the caller's own if it is well-formed, so that traces can be joined. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

/** Listeners for one event of a response, above which Node.js warns of a leak. */
const maxListeners = 20;

interface Observers {
  log: Log;
  observe: HttpOptions["observe"];
  /** Both are called when the request ends. */
  routeName(): string;
  actor?(): Actor | undefined;
}

/** Gives the request its id, and has it logged and counted when it ends. */
function observed(
  request: IncomingMessage,
  response: ServerResponse,
  { log, observe, routeName, actor }: Observers,
): string {
  const requestId = requestIdOf(request);
  const started = performance.now();
  const { socket } = request;
  const [readBefore, writtenBefore] = [socket.bytesRead, socket.bytesWritten];
  response.setHeader("x-request-id", requestId);
  // Koa and the pipeline of a compressed body add seven for "close", and the routes of agents three.
  response.setMaxListeners(maxListeners);
  // Before anything else, so that a request that its caller aborts is logged as well.
  response.once("close", () => {
    const ms = performance.now() - started;
    const { method = "" } = request;
    const [route, status] = [routeName(), response.statusCode];
    observe?.({
      method,
      route,
      status,
      seconds: ms / 1000,
      // A short body arrives with the headers, before the request has an object.
      bytesReceived:
        (request.complete && Number(request.headers["content-length"])) || socket.bytesRead - readBefore,
      bytesSent: socket.bytesWritten - writtenBefore,
    });
    const entry = {
      requestId,
      method,
      route,
      status,
      ms: Math.round(ms * 100) / 100,
      ...describeActor(actor?.()),
    };
    log[status >= 500 ? "error" : "info"](entry, "request");
  });
  return requestId;
}

/** Without the address of one that has nothing else. */
function describeActor(actor: Actor | undefined): { actor?: Actor["kind"]; actorId?: string } {
  if (actor === undefined) return {};
  return actor.kind === "anonymous" ? { actor: actor.kind } : { actor: actor.kind, actorId: actorId(actor) };
}

function tracedRequest(ctx: Context, requestId: string, routeName: () => string): TracedWork {
  const { traceparent } = ctx.req.headers;
  return {
    kind: "request",
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
    describe: () => ({
      name: `${ctx.method} ${routeName()}`,
      attributes: {
        "http.request.method": ctx.method,
        "http.route": routeName(),
        "http.response.status_code": ctx.status,
        "svc.request_id": requestId,
      },
      hasFailed: ctx.status >= 500,
    }),
  };
}

/** The headers of every response; made again if the address changes, which a free port does once. */
function securityFor(options: HttpOptions): () => [string, string][] {
  const made = new Map<boolean, [string, string][]>();
  return () => {
    const https = options.baseUrl().startsWith("https:");
    let headers = made.get(https);
    if (!headers) made.set(https, (headers = securityHeaders({ https })));
    return headers;
  };
}

/** The path of a request. Throws `invalid_request` for a target in absolute form that is not valid or has none. */
function pathOf(ctx: Context): string {
  let path: string | null = null;
  try {
    path = ctx.path;
  } catch {
    // `node:url` throws for a host that is not valid.
  }
  if (path === null) throw invalidRequest("The target of this request is not a valid address.");
  return path;
}

/** The declared route of a request, with its parameters in `ctx.params`. Throws `not_found` or `method_not_allowed`. */
function routeOf(ctx: Context, table: RouteTable, pages: RouteTable): Route {
  const path = pathOf(ctx);
  let found = table.find(ctx.method, path);
  if ("offered" in found && found.offered.length === 0) {
    // Their patterns match nearly every path, so that a page offers no method to what is not one.
    const page = pages.find(ctx.method, path);
    if ("declared" in page) found = page;
  }
  if ("declared" in found) {
    ctx["params"] = found.params;
    return found.declared;
  }
  const { offered } = found;
  if (offered.length === 0) throw nothingAt(path);
  ctx.state["other"] = found.other;
  ctx.set("allow", offered.join(", "));
  throw new ServiceError(
    "method_not_allowed",
    found.other?.otherMethods ?? `${ctx.method} is not offered here: use ${offered.join(" or ")}.`,
  );
}

function presentError(ctx: Context, thrown: unknown, options: HttpOptions): void {
  const requestId = ctx.state["requestId"] as string;
  const error = toServiceError(thrown, requestId, options);
  for (const name of ["etag", "cache-control", "content-disposition"]) ctx.remove(name);
  ctx.status = error.status;
  ctx.set("cache-control", "no-store");
  if (error instanceof SkillRenamed) redirectTo(ctx, renamedPath(ctx.path, error));
  if (error.code === "rate_limited")
    ctx.set("retry-after", String(Number(error.details?.["retryAfterSeconds"] ?? 1)));
  if (error.code === "unavailable") ctx.set("retry-after", "1");
  const route = (ctx.state["route"] ?? ctx.state["other"]) as Route | undefined;
  const { forGit = false, plainFailures = forGit, oauthFailures } = route ?? {};
  if (error.code === "unauthenticated")
    ctx.set("www-authenticate", `${forGit || oauthFailures ? "Basic" : "Bearer"} realm="svc"`);
  // A caller that still sends would miss the response if the connection were closed: the rest is read and discarded,
  // up to the time limit of a request.
  if (!ctx.req.complete) ctx.req.resume();
  if (plainFailures) {
    ctx.type = "text/plain";
    ctx.body = `${error.message}\n`;
  } else {
    ctx.type = "json";
    ctx.body = JSON.stringify(
      oauthFailures ? presentOauthFailure(error, oauthFailures) : presentFailure(error, requestId),
    );
  }
}

/** RFC 9110, sections 15.4.2 and 15.4.9: a client may repeat another method than GET as GET after a 301. */
function redirectTo(ctx: Context, path: string | undefined): void {
  if (path === undefined) return;
  ctx.status = ctx.method === "GET" || ctx.method === "HEAD" ? 301 : 308;
  ctx.set("location", path + ctx.search);
}
