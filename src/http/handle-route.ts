/** The path of a request through a declared route. */
import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { actorKey, type Actor, type Origin, type UserActor } from "../access/actor.ts";
import { administers, couldAdminister } from "../access/decide.ts";
import { nothingAt, ServiceError, unauthenticated } from "../errors.ts";
import type { Log } from "../log.ts";
import { toServiceError, type ErrorTranslator } from "./errors.ts";
import { parseInput } from "./input/parse-input.ts";
import { readQuery } from "./input/query.ts";
import { pseudonymOf, type Caller } from "./request/addresses.ts";
import { readBytes, readJson, readJsonOrForm } from "./request/body.ts";
import { sessionCookieName } from "./request/cookies.ts";
import { idempotentResult, type IdempotencyStore } from "./request/idempotency.ts";
import type { RateLimits } from "./request/rate-limit.ts";
import { readSignedCall, sha256Hex, type SignedCall } from "./request/signed.ts";
import { respond } from "./respond.ts";
import type { Creation, RequestInfo, Route } from "./route.ts";
import { checkOrigin } from "./service/security.ts";

/** The credentials that a caller presents; `authenticate` turns them into an actor, or throws `unauthenticated`. */
export interface Credentials {
  authorization: string;
  sessionCookie: string | undefined;
  signed: SignedCall | undefined;
  /** Address of the called resource, if access tokens of OAuth clients are accepted there. */
  audience?: string;
  origin: Origin;
}

/** Services that the handling of every route uses. */
export interface RouteServices {
  baseUrl: () => string;
  log: Log;
  rateLimits: RateLimits;
  idempotency: IdempotencyStore;
  translators: ErrorTranslator[];
  anonymize: (address: string) => string;
  /** The service's, which responses to signed-in callers carry. */
  version: string;
  findCaller: (request: IncomingMessage) => Caller;
  authenticate(credentials: Credentials): Promise<Actor>;
}

/** Handles a request of a declared route: limits, authentication, validation, the handler, the response. */
export async function handleRoute(ctx: Context, declared: Route, options: RouteServices): Promise<void> {
  ctx.state["route"] = declared;
  const caller = options.findCaller(ctx.req);
  const request = requestInfo(ctx, caller);
  if (declared.auth === "none")
    return respond(ctx, declared, await declared.handle(unauthenticatedCall(ctx, request)));
  const ipHash = pseudonymOf(ctx.req.socket, request.address, options.anonymize);
  const origin = originOf(ctx, ipHash, caller.isExempt);
  const credentialsOf = (signed?: SignedCall): Credentials => ({
    authorization: authorizationOf(ctx, declared),
    sessionCookie:
      declared.forGit || declared.ignoresCookies || declared.oauthFailures
        ? undefined
        : ctx.cookies.get(sessionCookieName(options.baseUrl())),
    signed,
    audience: declared.audience === undefined ? undefined : options.baseUrl() + declared.audience,
    origin,
  });
  const identify = async (credentials: Credentials): Promise<Actor> => {
    const actor = await options.authenticate(credentials);
    ctx.state["actor"] = actor;
    if (actor.kind !== "anonymous") ctx.set("X-Svc-Version", options.version);
    await options.rateLimits.consume("general", actor.kind === "anonymous" ? origin : actorKey(actor));
    return actor;
  };
  if (declared.auth === "deferred") {
    const call = unauthenticatedCall(ctx, request, origin);
    const handled = declared.handle({
      ...call,
      request: { ...request, authenticate: () => identify(credentialsOf()) },
    });
    return respond(ctx, declared, await handled);
  }
  if (declared.budget) await options.rateLimits.consume(declared.budget, origin);
  const incoming = signedBody(ctx, declared);
  const credentials = credentialsOf(incoming.signed);
  const started = prefetch(ctx, declared, credentials);
  const actor = await identify(credentials);
  // A caller may send the body slowly: what the handler acts on must not be older than that.
  const prefetched = ctx.req.complete ? started : undefined;
  if (declared.auth === "required" && actor.kind === "anonymous") throw unauthenticated();
  if (declared.auth === "administrator" && !administers(actor))
    throw couldAdminister(actor) ? proofOfAdministrator(actor) : nothingAt(ctx.path);
  if (!declared.cookieless)
    checkOrigin(ctx, actor, options.baseUrl(), { takesBytes: declared.stream === true });

  const params = parse(declared.params, { ...ctx["params"] }, "the path");
  const query = readQuery(ctx, declared);
  const body = declared.body
    ? parse(declared.body, await readBody(ctx.req, declared, incoming.bytes()), "the body")
    : undefined;
  const call = (creation?: Creation) =>
    declared.handle({ actor, params, query, body, prefetched, request: { ...request, creation } });

  if (declared.method !== "post" || declared.status !== 201 || declared.stream)
    return respond(ctx, declared, await call());
  const creating = { key: ctx.get("idempotency-key"), actor, route: declared.path, body: { params, body } };
  const result = await idempotentResult(options.idempotency, creating, {
    run: call,
    authorizeRepeat: declared.authorizeRepeat?.bind(declared, { actor, params, body }),
    toError: (error) => toServiceError(error, request.requestId, options),
  });
  return respond(ctx, declared, result);
}

/** The look-up of the route that runs during authentication. If it fails, the handler that awaits it gets the error. */
function prefetch(
  ctx: Context,
  declared: Route,
  { authorization, sessionCookie }: Credentials,
): Promise<unknown> | undefined {
  if (!declared.prefetch || (authorization === "" && sessionCookie === undefined)) return undefined;
  const started = declared.prefetch(ctx["params"] as Record<string, string>);
  started?.catch(() => undefined);
  return started;
}

/** The input of a handler whose route authenticates no caller. */
function unauthenticatedCall(ctx: Context, request: RequestInfo, origin = originOf(ctx, undefined, false)) {
  const actor: Actor = { kind: "anonymous", origin };
  const declared = ctx.state["route"] as Route;
  return {
    actor,
    params: parse(declared.params, { ...ctx["params"] }, "the path"),
    query: readQuery(ctx, declared),
    body: undefined,
    prefetched: undefined,
    request,
  };
}

function authorizationOf(ctx: Context, { forGit, oauthFailures }: Route): string {
  const header = ctx.get("authorization");
  if (oauthFailures === undefined) return forGit ? bearerOfBasic(header) : header;
  // A program may send the token that it wants to renew with all of its requests.
  if (!/^basic\b/i.test(header)) return "";
  throw unauthenticated(
    'Clients have no secret here (token_endpoint_auth_method is "none"): send client_id as a parameter, without ' +
      "Authorization: Basic.",
  );
}

/** The password of Basic credentials as a bearer token; any other header unchanged. */
function bearerOfBasic(authorization: string): string {
  const [, credentials] = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization) ?? [];
  if (credentials === undefined) return authorization;
  const text = Buffer.from(credentials, "base64").toString("utf8");
  return `Bearer ${text.slice(text.indexOf(":") + 1)}`;
}

function readBody(request: IncomingMessage, declared: Route, read: Buffer | undefined): Promise<unknown> {
  const { form, formBytes, repeatable } = declared;
  if (!form || read) return readJson(request, read);
  return readJsonOrForm(request, { formBytes, repeatable, isFormOnly: form === "only" });
}

/** The signature of a call, and the body that was read to check it. A stream is checked by its announced digest. */
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

function parse<S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  where: string,
): z.output<S> | undefined {
  return schema && parseInput(schema, value, where);
}

function requestInfo(ctx: Context, { address, isForwarded }: Caller): RequestInfo {
  return {
    requestId: ctx.state["requestId"] as string,
    path: ctx.path,
    host: isForwarded ? ctx.host : ctx.get("host"),
    address,
    isHead: ctx.method === "HEAD",
    userAgent: ctx.get("user-agent").slice(0, 300),
    header: (name) => ctx.get(name),
    cookie: (name) => ctx.cookies.get(name),
    onClose: (listener) => ctx.res.once("close", listener),
    stream: ctx.req,
    disconnect: () => void ctx.req.socket.destroy(),
    readJson: (limitBytes) => readJson(ctx.req, undefined, limitBytes),
  };
}

function originOf(ctx: Context, ipHash: string | undefined, isExempt: boolean): Origin {
  const client = ctx.get("x-svc-client") === "cli" ? "cli" : "api";
  return { ipHash, isExempt, source: client, client };
}

const proofOfAdministrator = ({ account }: UserActor) =>
  new ServiceError(
    "reauthentication_required",
    "An identity provider has opened this session, which does not count for the administration of the service. " +
      "Confirm who you are with your own second factor or password: POST /api/auth/reauthenticate, or sign in again.",
    { proof: account?.hasFactor ? "factor" : "password" },
  );
