/** The koa application: every request passes here, in this order, and no feature sees koa. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import Router from "@koa/router";
import Koa, { type Context } from "koa";
import compress from "koa-compress";
import type { z } from "zod";
import { actorKey, type Actor, type Origin } from "../access/actor.ts";
import { administers } from "../access/decide.ts";
import { ServiceError, invalidRequest, unauthenticated } from "../errors.ts";
import { requestContext, type Log } from "../log.ts";
import { limits } from "../../contract/limits.ts";
import { readBytes, readJson, readJsonOrForm } from "./body.ts";
import { presentFailure, toServiceError, type ErrorTranslator } from "./errors.ts";
import { idempotently, type IdempotencyStore } from "./idempotency.ts";
import type { RateLimits } from "./rate-limit.ts";
import { Enveloped, Page, Reply, type Cookie, type RequestInfo, type Route } from "./route.ts";
import { checkOrigin, securityHeaders } from "./security.ts";
import { readSignedCall, sha256Hex, type SignedCall } from "./signed.ts";

/** What the caller presents; `authenticate` turns it into an actor, or throws `unauthenticated`. */
export interface Credentials {
  authorization: string;
  sessionCookie: string | undefined;
  signed: SignedCall | undefined;
  origin: Origin;
}

export interface HttpOptions {
  routes: Route[];
  baseUrl: () => string;
  trustProxy: boolean;
  log: Log;
  rateLimits: RateLimits;
  idempotency: IdempotencyStore;
  translators: ErrorTranslator[];
  anonymize(address: string): string;
  authenticate(credentials: Credentials): Promise<Actor>;
  observe?(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** The session cookie's name: host-bound where the service is reached by https. */
export function sessionCookieName(baseUrl: string): string {
  return baseUrl.startsWith("https:") ? "__Host-svc_session" : "svc_session";
}

export function createHttp(options: HttpOptions): Koa {
  // Proxies append, so only the last address is one that ours has seen; those before it are the caller's own words.
  const koa = new Koa({ proxy: options.trustProxy, maxIpsCount: 1 });
  const router = new Router();
  for (const declared of options.routes) {
    router.register(declared.path, [declared.method], (ctx) => answer(ctx, declared, options));
  }
  koa.on("error", (error: NodeJS.ErrnoException) => {
    // A client that went away while it was being answered is not our failure.
    if (!["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECANCELED"].includes(error.code ?? "")) {
      options.log.error({ error }, "an answer could not be sent");
    }
  });
  koa.use((ctx, next) => observed(ctx, next, options));
  koa.use((ctx, next) => securityFor(options)(ctx, next));
  koa.use(tagEncodings);
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

const nothingAt = (ctx: Context) =>
  new ServiceError("not_found", `There is nothing at ${ctx.path.slice(0, 200)}.`);

/** A strong tag promises equal bytes, which a compressed body and its plain one are not (RFC 9110, section 8.8.1). */
async function tagEncodings(ctx: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const etag = ctx.res.getHeader("etag");
  if (typeof etag !== "string" || !etag.startsWith('"')) return;
  if (ctx.res.hasHeader("content-encoding")) ctx.set("etag", `W/${etag}`);
}

/** The request id: the caller's own where it is harmless, so that traces join. */
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
    // Before anything else, so that a request which its caller gives up is told as well.
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
    // Closing on a caller that still sends would lose it the answer: the rest is read and thrown away instead, for
    // as long as the server lets a request take.
    if (!ctx.req.complete) ctx.req.resume();
    if (forGit) {
      ctx.type = "text/plain";
      ctx.body = `${error.message}\n`;
    } else ctx.body = presentFailure(error, ctx.state["requestId"] as string);
  }
}

async function answer(ctx: Context, declared: Route, options: HttpOptions): Promise<void> {
  ctx.state["route"] = declared;
  const request = requestInfo(ctx);
  if (declared.auth === "none") {
    const actor: Actor = { kind: "anonymous", origin: originOf(ctx, undefined) };
    return render(
      ctx,
      declared,
      await declared.handle({ actor, params: undefined, query: undefined, body: undefined, request }),
    );
  }
  const ipHash = options.anonymize(networkOf(request.address));
  if (declared.budget) await options.rateLimits.consume(declared.budget, ipHash);
  const incoming = signedBody(ctx, declared);
  const actor = await options.authenticate({
    authorization: declared.forGit ? bearerOfBasic(ctx.get("authorization")) : ctx.get("authorization"),
    sessionCookie: declared.forGit ? undefined : ctx.cookies.get(sessionCookieName(options.baseUrl())),
    signed: incoming.signed,
    origin: originOf(ctx, ipHash),
  });
  await options.rateLimits.consume("general", actor.kind === "anonymous" ? ipHash : actorKey(actor));
  if (declared.auth === "required" && actor.kind === "anonymous") throw unauthenticated();
  if (declared.auth === "administrator" && !administers(actor)) throw nothingAt(ctx);
  if (!declared.cookieless)
    checkOrigin(ctx, actor, options.baseUrl(), { takesBytes: declared.stream === true });

  const params = parse(declared.params, { ...ctx["params"] }, "the path");
  const query = parse(declared.query, { ...ctx.query }, "the query");
  const body = declared.body
    ? parse(declared.body, await readBody(ctx.req, declared, incoming.bytes()), "the body")
    : undefined;
  const call = () => declared.handle({ actor, params, query, body, request });

  if (declared.method === "post" && declared.status === 201 && !declared.stream) {
    const key = { key: ctx.get("idempotency-key"), actor, route: declared.path, body: { params, body } };
    let reply: unknown;
    const stored = await idempotently(options.idempotency, key, async () => {
      reply = await call();
      return { status: 201, body: reply instanceof Enveloped || reply instanceof Reply ? shownOnce : reply };
    });
    if (reply === undefined && isShownOnce(stored.body)) {
      throw new ServiceError(
        "conflict",
        "The call with this Idempotency-Key succeeded; its answer is shown once and is not kept.",
      );
    }
    return render(ctx, declared, reply ?? stored.body);
  }
  return render(ctx, declared, await call());
}

/** The password of Basic credentials as a bearer token; anything else as it is, for whoever checks it. */
function bearerOfBasic(authorization: string): string {
  const [, credentials] = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization) ?? [];
  if (credentials === undefined) return authorization;
  const text = Buffer.from(credentials, "base64").toString("utf8");
  return `Bearer ${text.slice(text.indexOf(":") + 1)}`;
}

/** Kept in place of an answer that carries a secret or a cookie. */
const shownOnce = { shownOnce: true };

function isShownOnce(body: unknown): boolean {
  return typeof body === "object" && body !== null && "shownOnce" in body;
}

function readBody(request: IncomingMessage, declared: Route, read: Buffer | undefined): Promise<unknown> {
  return declared.form && !read ? readJsonOrForm(request) : readJson(request, read);
}

/** A call's signature, with the body that was read to check it; a stream is held to what was announced of it. */
function signedBody(
  ctx: Context,
  declared: Route,
): { signed: SignedCall | undefined; bytes: () => Buffer | undefined } {
  let read: Buffer | undefined;
  const signed = readSignedCall(ctx.req, async () => {
    if (declared.stream) {
      const params = parse(declared.params, { ...ctx["params"] }, "the path");
      return declared.announcedSha256?.(params, `key:${ctx.get("x-svc-key")}`);
    }
    read = await readBytes(ctx.req, limits.jsonBodyBytes);
    return sha256Hex(read);
  });
  return { signed, bytes: () => read };
}

/**
 * Who counts as one caller: an IPv4 address, or the first 64 bits of an IPv6 one, since a single subscriber has all
 * addresses behind them.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...gap, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/64`;
}

function parse<S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  where: string,
): z.output<S> | undefined {
  if (!schema) return undefined;
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issues = result.error.issues
    .slice(0, 10)
    .map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const first = issues[0]!;
  const at = first.path === "" ? where : `"${first.path}" of ${where}`;
  throw invalidRequest(`Something is wrong with ${at}: ${first.message.replace(/\.?$/, ".")}`, { issues });
}

function requestInfo(ctx: Context): RequestInfo {
  return {
    requestId: ctx.state["requestId"] as string,
    address: ctx.ip,
    isHead: ctx.method === "HEAD",
    userAgent: ctx.get("user-agent").slice(0, 300),
    header: (name) => ctx.get(name),
    cookie: (name) => ctx.cookies.get(name),
    stream: ctx.req,
  };
}

function originOf(ctx: Context, ipHash: string | undefined): Origin {
  if (ctx.get("x-svc-client") === "cli") return { ipHash, source: "cli", client: "cli" };
  return { ipHash, source: "api", client: "api" };
}

function render(ctx: Context, declared: Route, result: unknown): void {
  if (result instanceof Reply) {
    ctx.status = result.status;
    setHeaders(ctx, { "cache-control": "no-store", ...result.headers });
    setCookies(ctx, result.cookies);
    if (result.status !== 304) ctx.body = result.body ?? null;
    if (result.body === undefined) ctx.status = result.status;
    return;
  }
  ctx.status = declared.status ?? 200;
  if (!ctx.response.get("cache-control")) ctx.set("cache-control", "no-store");
  if (result instanceof Page) {
    answerJson(ctx, { success: true, data: result.items, nextCursor: result.nextCursor });
  } else if (result instanceof Enveloped) {
    setHeaders(ctx, result.headers);
    setCookies(ctx, result.cookies);
    answerJson(ctx, { success: true, data: result.data });
  } else {
    answerJson(ctx, { success: true, data: result });
  }
}

/** Made into text here, once: of an object koa makes it each time that somebody asks for its length. */
function answerJson(ctx: Context, body: object): void {
  ctx.type = "json";
  ctx.body = JSON.stringify(body);
}

/** `Vary` is added to: compression has named what it varies by already. */
function setHeaders(ctx: Context, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "vary") ctx.vary(value.split(/, */));
    else ctx.set(name, value);
  }
}

function setCookies(ctx: Context, cookies: Cookie[]): void {
  for (const { name, value, maxAgeMs } of cookies) {
    // The header is written here: koa's own refuses `Secure` when a proxy ends TLS before us.
    const secure = name.startsWith("__Host-") ? "; Secure" : "";
    const age =
      value === "" ? "; Max-Age=0" : maxAgeMs === undefined ? "" : `; Max-Age=${Math.floor(maxAgeMs / 1000)}`;
    ctx.append("set-cookie", `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`);
  }
}
