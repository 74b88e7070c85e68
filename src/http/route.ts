/**
 * An HTTP route as data: its input, its output and its handler. The router, the validation and the API description are
 * all made from it, so they can't disagree. A feature's `routes.ts` is a list of routes.
 */
import type { Readable } from "node:stream";
import type { z } from "zod";
import type { FailureCode } from "../../contract/errors.ts";
import type { Actor } from "../access/actor.ts";

export type Method = "get" | "put" | "post" | "patch" | "delete" | "options";

/**
 * Id of the record that a call creates. `isRetry`: an earlier attempt may have created it before it was interrupted.
 */
export interface Creation {
  id: string;
  isRetry: boolean;
}

/** The parts of a request that a handler gets in addition to the validated input. */
export interface RequestInfo {
  requestId: string;
  path: string;
  /** Host and port by which the caller addresses the service. */
  host: string;
  /** The caller's address; never stored or logged as it is. */
  address: string;
  /** Only the headers are requested: the handler need not read the content. */
  isHead: boolean;
  userAgent: string;
  header(name: string): string;
  cookie(name: string): string | undefined;
  /** Registers work for the end of the request: the response was sent, or the caller has left. */
  onClose(listener: () => void): void;
  /** The unread body of a route with `stream`. */
  stream: Readable;
  /** Ends the connection. Destroying a stream that was read to its end does not. */
  disconnect(): void;
  /** Reads that body as JSON of at most so many bytes; undefined if it is empty. */
  readJson(limitBytes: number): Promise<unknown>;
  /** Authenticates the caller of a route with `auth: "deferred"`, and counts the request against their budget. */
  authenticate?: () => Promise<Actor>;
  /** Set for a call with an `Idempotency-Key`. */
  creation?: Creation;
}

export interface Cookie {
  name: string;
  /** Empty removes it. */
  value: string;
  maxAgeMs?: number;
}

/** An answer that is not the JSON envelope, or one with headers of its own. */
export class Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer | string | Readable | object | undefined;
  cookies: Cookie[];
  /** Set for a body that is sent often at this address: the name by which its compressed form is kept. */
  repeats?: string;

  constructor(
    body: Reply["body"],
    options: { status?: number; type?: string; headers?: Record<string, string>; cookies?: Cookie[] } = {},
  ) {
    this.body = body;
    this.status = options.status ?? 200;
    this.headers = { ...(options.type ? { "content-type": options.type } : {}), ...options.headers };
    this.cookies = options.cookies ?? [];
  }
}

/** One page of a list: items and the cursor of the next page, null on the last. */
export class Page<T> {
  items: T[];
  nextCursor: string | null;
  /** Further fields of the envelope (`pageFields`). */
  fields: object;

  constructor(items: T[], nextCursor: string | null, fields: object = {}) {
    this.items = items;
    this.nextCursor = nextCursor;
    this.fields = fields;
  }

  map<R>(present: (item: T) => R): Page<R> {
    return new Page(this.items.map(present), this.nextCursor, this.fields);
  }
}

/** Data that is JSON already. */
export class SerializedJson {
  text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Data in the envelope, with additional cookies or headers. */
export class Enveloped {
  data: unknown;
  headers: Record<string, string>;
  cookies: Cookie[];

  constructor(data: unknown, options: { headers?: Record<string, string>; cookies?: Cookie[] } = {}) {
    this.data = data;
    this.headers = options.headers ?? {};
    this.cookies = options.cookies ?? [];
  }
}

/** Named budgets of `rate-limit.ts`; a route without one has the general budget only. */
export type RateBudget =
  | "sign-in"
  | "sign-up"
  | "passkey"
  | "sso"
  | "recovery"
  | "device"
  | "exchange"
  | "oauth"
  | "oauth-register"
  | "search"
  | "picture"
  | "found-by"
  | "diff"
  | "upload"
  | "publish"
  | "register"
  | "share"
  | "report"
  | "invite"
  | "export"
  | "analytics"
  | "domain-check"
  | "clone"
  | "registry"
  | "connect";

type Input<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteInput<P, Q, B, F> {
  actor: Actor;
  params: Input<P>;
  query: Input<Q>;
  body: Input<B>;
  /** Result of the route's `prefetch`; undefined if it was not started, or the body takes longer to arrive. */
  prefetched: Promise<F> | undefined;
  request: RequestInfo;
}

type RepeatLacks = "query" | "prefetched" | "request";

/** Properties that the routes of a file may share (`routesOf`). */
interface Common {
  method: Method;
  tag: string;
  /**
   * `required`: anonymous callers get 401 before any other check. `none`: no authentication and no rate limits, for
   * probes, which must work while the database is unavailable. `deferred`: as `none`, but the handler can call
   * `request.authenticate`. `administrator`: administrators of the service, by a session or an unlimited token; for
   * other callers the path does not exist.
   */
  auth: "required" | "optional" | "none" | "deferred" | "administrator";
  /**
   * Pages of other origins can read the responses: `anonymous` those to requests without credentials, `always` all of
   * them, since they are the same for every caller.
   */
  crossOrigin?: "anonymous" | "always";
  /** Media type of a response outside the envelope. */
  produces?: string;
  budget?: RateBudget;
}

interface OwnDeclaration<P, Q, B, F> {
  /** In the form of the router: `/api/skills/:skill`; a last `*name` segment takes the rest of the path. */
  path: string;
  /** Name of the operation in the API description, from which clients make theirs: it never changes. */
  id?: string;
  summary: string;
  /** Codes of its failures that don't follow from its other properties (`failureCodesOf`). */
  failures?: readonly FailureCode[];
  /** The response has an `ETag`, and `If-None-Match` is respected. For the description. */
  conditional?: true;
  params?: P;
  query?: Q;
  /** A schema for JSON; `stream` hands over the raw body. */
  body?: B;
  stream?: boolean;
  /**
   * Hexadecimal SHA-256 of the body of a `stream` route, as announced before by this caller (`actorKey`). A signature
   * is checked against it, and the handler compares the body with it.
   */
  announcedSha256?(params: Input<P>, caller: string): Promise<string | undefined>;
  /** Anonymous keys may call it too; `only`: other callers may not. For the description. */
  signable?: true | "only";
  /**
   * For git clients: an API token comes as the password of Basic credentials (RFC 7617), with any username;
   * cookies are ignored; and failures are plain sentences, which git shows to its user.
   */
  forGit?: true;
  /** Failures are plain sentences, which the client of another service shows to its user. */
  plainFailures?: true;
  /** Message of the refusal of methods that are not offered at the path. */
  otherMethods?: string;
  /** Ignores cookies, so that a browser lends no caller its session. */
  ignoresCookies?: true;
  /**
   * Path of the protected resource to which the route belongs: access tokens of OAuth clients for it are accepted. No
   * other route accepts one.
   */
  audience?: string;
  /**
   * Also takes `application/x-www-form-urlencoded` and `multipart/form-data` fields as the body; `only`: and no JSON.
   */
  form?: boolean | "only";
  /** Fields of a form that may be repeated: their values are lists. Of other fields, the first value counts. */
  repeatable?: readonly string[];
  /**
   * For a call that creates: throws unless a read would show the caller the stored data of its first response, which an
   * `Idempotency-Key` asks for again. Access may have been lost since. Without it, the data is not stored.
   */
  authorizeRepeat?(call: Omit<RouteInput<P, Q, B, F>, RepeatLacks>, data: unknown): Promise<unknown>;
  /** Maximum size of such fields. Default: `limits.formBodyBytes`. */
  formBytes?: number;
  /**
   * Its response may be a redirect to another origin. Links lead to it directly, and redirects by a page
   * (`openByPage`).
   */
  leavesOrigin?: true;
  /** Allows unsafe calls without the origin check of cookies: for routes that no cookie speaks for. */
  cookieless?: boolean;
  /**
   * For endpoints of OAuth's standards, which authenticate no one: cookies and bearer tokens are ignored, and all
   * failures have the form of RFC 6749, section 5.2. The value is the error code of a request that can't be read.
   */
  oauthFailures?: "invalid_request" | "invalid_client_metadata";
  status?: 200 | 201;
  /** The schema of `data`; `null` where the answer is the bare `{"success": true}`. */
  data?: z.ZodType | null;
  /** The answer is a list page: `data` is the schema of one item. */
  page?: boolean;
  /** Fields that identify an item of a list that is read whole (`withPages`). Default: `id`. */
  pageBy?: readonly string[];
  /** Schema of that list; `withPages` sets it. */
  list?: z.ZodArray;
  /** Fields of the envelope of a list besides `data` and `nextCursor`. */
  pageFields?: z.ZodRawShape;
  /** Data of a route with `auth: "none"` whose answer is always the same: it is sent without calling `handle`. */
  constant?: object;
  /**
   * Starts a look-up by the path while the caller's credential is looked up. The handler makes the access decision on
   * its result; it is discarded if the credential is not valid. Not called for requests without a token or cookie, so
   * that a caller who is refused for too many requests causes no look-up.
   */
  prefetch?(params: Readonly<Record<string, string>>): Promise<F> | undefined;
  handle(input: RouteInput<P, Q, B, F>): Promise<unknown>;
}

type Declaration<P, Q, B, F> = Common & OwnDeclaration<P, Q, B, F>;

/** A route whose input types are sealed in: `handle` takes what the schemas made of the request. */
export interface Route extends Omit<
  Declaration<z.ZodType, z.ZodType, z.ZodType, unknown>,
  "handle" | "announcedSha256" | "authorizeRepeat"
> {
  authorizeRepeat?(call: { actor: Actor; params: unknown; body: unknown }, data: unknown): Promise<unknown>;
  announcedSha256?(params: unknown, caller: string): Promise<string | undefined>;
  handle(input: RouteInput<z.ZodType, z.ZodType, z.ZodType, unknown>): Promise<unknown>;
}

/** Declares a route; the handler's `params`, `query` and `body` have the types of the schemas. */
export function route<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  F = never,
>(declaration: Declaration<P, Q, B, F>): Route {
  return declaration as Route;
}

/** Returns `route` for routes that have these properties unless they declare others. */
export function routesOf<C extends Partial<Common>>(common: C) {
  type Left = Omit<Common, keyof C> & Partial<Common>;
  return <
    P extends z.ZodType | undefined = undefined,
    Q extends z.ZodType | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    F = never,
  >(
    declaration: OwnDeclaration<P, Q, B, F> & Left,
  ): Route => route({ ...common, ...declaration } as Declaration<P, Q, B, F>);
}
