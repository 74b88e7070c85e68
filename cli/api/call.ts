/** One call of the API: its envelope, its errors and the checks of its response. */
import { CliError } from "../errors.ts";
import { failureOf } from "./failure.ts";
import { type HttpOptions, type HttpRequest, send } from "./http.ts";
import { networkError } from "./network-error.ts";
import type { Page } from "./pages.ts";
import { type Shape, fits } from "./shapes.ts";
import type { Answer } from "./transport.ts";

export type Query = Record<string, string | number | boolean | undefined>;

interface Call {
  method: HttpRequest["method"];
  path: string;
  /** The required form of the data; not checked if it is undefined. */
  shape: Shape | undefined;
  query?: Query;
  input?: unknown;
  headers?: Record<string, string>;
  /** A POST that creates nothing. */
  isRepeatable?: boolean;
}

/** Calls whose response is an envelope with `data`. All throw `CliError`. */
export function openCaller(options: HttpOptions) {
  const call = <T>(request: Call) => callForData<T>(options, request);
  return {
    call,
    json: (request: HttpRequest) => requestJson(options, request),
    get: async <T>(path: string, shape: Shape | undefined, query: Query = {}) =>
      (await call<T>({ method: "GET", path, shape, query })).data,
    async page<T>(path: string, shape: Shape, query: Query): Promise<Page<T>> {
      const { data, ...page } = await call<T[]>({ method: "GET", path, shape, query });
      return { items: data, ...page };
    },
    create: async <T>(path: string, shape: Shape, input: unknown) =>
      (await call<T>({ method: "POST", path, shape, input })).data,
    /** A raw response body. The caller counts and checks the bytes. */
    async raw(path: string, query: Query, accept: string): Promise<Answer> {
      const url = path + searchOf(query);
      const response = await send(options, { method: "GET", url, headers: { accept } });
      if (response.ok) return response;
      throw refusal(options, response, parseBody(await response.text().catch(() => "")));
    },
    /**
     * The text of a successful response of any form, empty if it has none. Throws `E_API` for a response that is
     * not text.
     */
    async plain(request: HttpRequest): Promise<string> {
      const response = await send(options, {
        ...request,
        headers: { ...onceOnly(request.method), ...request.headers },
      });
      const type = response.header("content-type") ?? "";
      if (response.ok && type !== "" && !/^text\/|json|xml|yaml/.test(type)) {
        response.discard();
        throw new CliError("E_API", `The response is not text (${type}), so it can't be printed.`);
      }
      const text = await response.text().catch((error: unknown) => {
        throw networkError(error, request.url, options.baseUrl);
      });
      if (!response.ok) throw refusal(options, response, parseBody(text));
      return text;
    },
    /**
     * A form post whose response has no envelope (RFC 8628). Returns the status and the body, which is undefined
     * if it is not JSON.
     */
    async form(path: string, fields: Record<string, string>) {
      const response = await send(options, {
        method: "POST",
        url: path,
        isSentOnce: true,
        body: new URLSearchParams(fields).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      const text = await response.text().catch((error: unknown) => {
        throw networkError(error, path, options.baseUrl);
      });
      return { status: response.status, body: parseBody(text), retryAfter: response.header("retry-after") };
    },
  };
}

async function callForData<T>(
  options: HttpOptions,
  { method, path, shape, query = {}, input, headers, isRepeatable = false }: Call,
) {
  const sent = {
    body: JSON.stringify(input),
    headers: { "content-type": "application/json", ...(isRepeatable ? {} : onceOnly(method)), ...headers },
  };
  const url = path + searchOf(query);
  const request = input === undefined ? { method, url } : { method, url, ...sent };
  const body = (await requestJson(options, request)) as { success?: unknown; data?: T; nextCursor?: unknown };
  const { success, data, nextCursor, ...fields } = body;
  if (success !== true || data === undefined) throw notOurs(options.baseUrl);
  if (shape !== undefined && !fits(data, shape)) throw notOurs(options.baseUrl);
  return { data, nextCursor: typeof nextCursor === "string" ? nextCursor : undefined, fields };
}

/** The body of a JSON response. Throws for errors and for responses that are not JSON. */
async function requestJson(options: HttpOptions, request: HttpRequest): Promise<unknown> {
  const { waiting, baseUrl } = options;
  if (waiting === undefined) return readJson(options, request);
  return waiting(`Waiting for ${new URL(baseUrl).host}`, () => readJson(options, request));
}

async function readJson(options: HttpOptions, request: HttpRequest): Promise<unknown> {
  const response = await send(options, request);
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw networkError(error, request.url, options.baseUrl);
  }
  const body = parseBody(text);
  if (!response.ok) throw refusal(options, response, body);
  if (body === undefined) throw notOurs(options.baseUrl, response);
  return body;
}

function refusal(options: HttpOptions, response: Answer, body: unknown): CliError {
  // A registry explains each 404; a page of another program says nothing about a skill.
  if (response.status === 404 && typeof (body as { error?: unknown } | undefined)?.error !== "string")
    return notOurs(options.baseUrl, response);
  const isAnonymous = options.token === undefined && options.sign === undefined;
  return failureOf(response.status, body, response.header("retry-after"), { isAnonymous });
}

/** Makes a creating call safe to repeat after a lost response. */
function onceOnly(method: string): Record<string, string> {
  return method === "POST" ? { "idempotency-key": crypto.randomUUID() } : {};
}

/** The query with its `?`, or an empty text. */
export function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** The body as an object or list, or undefined. */
export function parseBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function notOurs(baseUrl: string, response?: Answer): CliError {
  const type = response?.header("content-type")?.split(";")[0];
  const sent = type === undefined ? "" : ` (it sent ${type})`;
  return new CliError(
    "E_NETWORK",
    `${baseUrl} does not respond like a skill registry${sent}: check SVC_API_URL.`,
    response === undefined ? undefined : { httpStatus: response.status },
  );
}
