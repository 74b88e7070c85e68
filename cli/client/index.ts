/** Typed client of the service's API: a method for each operation, made from the API description. */
import { routes, type Failure, type Operations } from "./generated/operations.ts";

export type * from "./generated/operations.ts";

/** Codes of failures, as in the API description; `network`: no response arrived. */
export type FailureCode = Failure["code"] | "network";

export interface ClientOptions {
  /** Address of the service, such as https://skills.example.com. */
  baseUrl: string;
  /** An API token; without one, calls are anonymous. */
  token?: string;
  /** Further attempts after a failure that can pass. Default: 3. */
  retries?: number;
  /** Time limit of an attempt. Default: 60,000. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

/** Options of a single call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Key of a call that creates. Default: a random one, so that a retry never creates twice. */
  idempotencyKey?: string;
}

type Name = keyof Operations;
type Part = "path" | "query" | "body";
/** Parameters and body of an operation. */
export type Input<K extends Name> = Pick<Operations[K], Part & keyof Operations[K]>;
type Arguments<K extends Name> =
  Partial<Input<K>> extends Input<K>
    ? [input?: Input<K>, options?: CallOptions]
    : [input: Input<K>, options?: CallOptions];

/** A page of a list; `nextCursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

type Item<K extends Name> = Operations[K] extends { item: infer T } ? T : never;
/** The result of an operation; a `Response` for bytes and texts. */
export type Result<K extends Name> = Operations[K] extends { item: infer T }
  ? Page<T>
  : Operations[K] extends { data: infer T }
    ? T
    : undefined;
type ListName = { [K in Name]: Operations[K] extends { item: unknown } ? K : never }[Name];

export type Client = { [K in Name]: (...args: Arguments<K>) => Promise<Result<K>> } & {
  /** All items of a list, page by page as they are consumed. */
  all: { [K in ListName]: (...args: Arguments<K>) => AsyncGenerator<Item<K>, void> };
};

/** A failure of the service or of the network. */
export class SvcError<C extends FailureCode = FailureCode> extends Error {
  readonly code: C;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly requestId: string | undefined;

  constructor(message: string, code: C, status: number, body: Partial<Failure> = {}, cause?: unknown) {
    super(message, { cause });
    this.name = "SvcError";
    this.code = code;
    this.status = status;
    this.details = body.details ?? {};
    this.requestId = body.requestId;
  }
}

/** Whether an error is a failure with one of these codes. */
export const hasCode = <C extends FailureCode>(error: unknown, ...codes: C[]): error is SvcError<C> =>
  error instanceof SvcError && codes.some((code) => code === error.code);

interface AnyInput {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** `creates`: the call takes an `Idempotency-Key`. `takesBytes`: its body is not JSON. */
interface Route {
  method: string;
  path: string;
  creates: boolean;
  takesBytes: boolean;
}

const table = new Map<string, Route>();
for (const line of routes.split("\n")) {
  const [name = "", method = "", path = "", marks = ""] = line.split(" ");
  table.set(name, { method, path, creates: marks.includes("+"), takesBytes: marks.includes("b") });
}

const transient = new Set([429, 502, 503, 504]);

/** A client of one service. */
export function createClient(options: ClientOptions): Client {
  const call = (name: string, input?: AnyInput, callOptions?: CallOptions) =>
    send(options, table.get(name)!, input ?? {}, callOptions ?? {});
  const all = methods(
    (name) => (input?: AnyInput, callOptions?: CallOptions) => readAll(call, name, input, callOptions),
  );
  const own = methods(
    (name) => (input?: AnyInput, callOptions?: CallOptions) => call(name, input, callOptions),
  );
  const client: object = Object.assign(own, { all });
  return client as Client;
}

const methods = <T>(make: (name: string) => T): Record<string, T> =>
  Object.fromEntries([...table.keys()].map((name) => [name, make(name)]));

type Call = (name: string, input?: AnyInput, options?: CallOptions) => Promise<unknown>;

async function* readAll(call: Call, name: string, input: AnyInput = {}, options?: CallOptions) {
  let cursor = input.query?.["cursor"];
  do {
    const page = (await call(
      name,
      { ...input, query: { ...input.query, cursor } },
      options,
    )) as Page<unknown>;
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function send(client: ClientOptions, route: Route, input: AnyInput, options: CallOptions) {
  const { retries = 3, timeoutMs = 60_000, fetch: request = fetch } = client;
  const { body } = input;
  const headers = new Headers({ accept: "application/json, */*" });
  if (client.token !== undefined) headers.set("authorization", `Bearer ${client.token}`);
  if (body !== undefined)
    headers.set("content-type", route.takesBytes ? "application/octet-stream" : "application/json");
  if (route.creates) headers.set("idempotency-key", options.idempotencyKey ?? crypto.randomUUID());
  const isRepeatable = route.creates || route.method !== "POST";
  const maxAttempts = body instanceof ReadableStream ? 1 : retries + 1;
  for (let attempt = 1; ; attempt += 1) {
    const signal = AbortSignal.any([
      AbortSignal.timeout(timeoutMs),
      ...(options.signal ? [options.signal] : []),
    ]);
    let failure: SvcError;
    let wait = "";
    try {
      const init: RequestInit = {
        method: route.method,
        headers,
        signal,
        body: bodyOf(route, body),
        duplex: "half",
      };
      const response = await request(addressOf(client.baseUrl, route.path, input), init);
      if (response.ok) return await resultOf(response);
      failure = await failureOf(response);
      wait = response.headers.get("retry-after") ?? "";
    } catch (error) {
      if (options.signal?.aborted) throw error;
      failure = new SvcError("The service can't be reached.", "network", 0, {}, error);
    }
    // A request that was refused for its rate was not carried out.
    const mayRepeat = isRepeatable || failure.status === 429;
    const canPass = failure.status === 0 || transient.has(failure.status);
    if (!mayRepeat || !canPass || attempt >= maxAttempts) throw failure;
    // Proxies may send a date in place of seconds (RFC 9110, section 10.2.3).
    const isSeconds = /^\d+$/.test(wait);
    await delay(isSeconds ? Number(wait) * 1000 : 250 * 2 ** attempt * (0.5 + Math.random()), options.signal);
  }
}

function bodyOf(route: Route, body: unknown): RequestInit["body"] {
  if (body === undefined) return undefined;
  return route.takesBytes ? (body as RequestInit["body"]) : JSON.stringify(body);
}

function addressOf(baseUrl: string, path: string, { path: names = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    // The path of a file has slashes of its own.
    encodeURIComponent(String(names[name])).replaceAll("%2F", name === "path" ? "/" : "%2F"),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return `${baseUrl.replace(/\/+$/, "")}/api${filled}${given.length > 0 ? `?${search.toString()}` : ""}`;
}

async function resultOf(response: Response): Promise<unknown> {
  if (!/^application\/json\b/.test(response.headers.get("content-type") ?? "")) return response;
  const { data, nextCursor, ...fields } = (await response.json()) as Record<string, unknown>;
  return nextCursor === undefined ? data : { ...fields, items: data, nextCursor };
}

async function failureOf(response: Response): Promise<SvcError> {
  const body = (await response.json().catch(() => undefined)) as Failure | undefined;
  if (typeof body?.error === "string") return new SvcError(body.error, body.code, response.status, body);
  return new SvcError(`The response has status ${response.status}.`, "unavailable", response.status);
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(ms, 60_000));
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
