/** The client of the service's API, typed by its description (`web/generated/`). */
import createClient from "openapi-fetch";
import type { components, paths } from "../../generated/api-types.ts";
import { untilReachable } from "../connection/state.ts";
import { isSignedIn, signInAgain, verifyAgain } from "./account/sign-in-again.ts";

export type Schemas = components["schemas"];

export const api = createClient<paths>({ baseUrl: "", fetch: send });

/**
 * Sends a request. If the session of the signed-in user has ended, or the service wants to know again who they are, it
 * is sent once more after a dialog over the page, so that the caller does not notice. `fetch` is looked up for each
 * call, so that a test can replace it.
 */
async function send(request: Request): Promise<Response> {
  if (lastPath !== undefined && new URL(request.url).pathname !== lastPath) return new Promise(() => {});
  if (!isSignedIn()) return fetch(request);
  let response = await fetch(request.clone());
  if ((await hasCode(response, 401, "unauthenticated")) && (await signInAgain()))
    response = await fetch(request.clone());
  if ((await hasCode(response, 403, "reauthentication_required")) && (await verifyAgain()))
    response = await fetch(request.clone());
  return response;
}

/** Path of the only request that is still sent. */
let lastPath: string | undefined;

/** Dispatches `begin` before `endSessionBy` ends the session, and `fail` if the session goes on. */
export const sessionEnd = new EventTarget();

/**
 * Ends the session by one request. No other one is sent until it fails, since it would be refused. After a success, the
 * caller loads the page again.
 */
export async function endSessionBy<T>(path: string, request: () => Promise<T>): Promise<T> {
  lastPath = path;
  sessionEnd.dispatchEvent(new Event("begin"));
  try {
    return await request();
  } catch (error) {
    lastPath = undefined;
    sessionEnd.dispatchEvent(new Event("fail"));
    throw error;
  }
}

/** Whether `endSessionBy` has begun. */
export const isSessionEnding = () => lastPath !== undefined;

async function hasCode(response: Response, status: number, code: string): Promise<boolean> {
  if (response.status !== status) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as Partial<Schemas["Failure"]> | undefined)?.code === code;
}

/** A failure of the API, or of the network (status 0). */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, body: Partial<Schemas["Failure"]> | undefined, requestId = "") {
    super(body?.error ?? sentenceFor(status));
    this.code = body?.code ?? "unavailable";
    this.status = status;
    this.requestId = body?.requestId ?? requestId;
    this.details = body?.details ?? {};
  }

  /** Problems of single fields, by their names; of forms whose input the service refused. */
  get fields(): Record<string, string> {
    const issues = this.details["issues"];
    if (!Array.isArray(issues)) return {};
    return Object.fromEntries(
      (issues as { path: string; message: string }[]).map(({ path, message }) => [path, message]),
    );
  }
}

function sentenceFor(status: number): string {
  if (status === 0) return "The service can't be reached. Check the connection and try again.";
  return `The service answered with status ${status} and no explanation. Try again in a moment.`;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The body of a successful answer. Throws an `ApiError` for every other outcome, which is the form that Query expects.
 */
export async function ok<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    // A proxy that answers in HTML fails as the body is parsed.
    const status = error instanceof SyntaxError ? 502 : 0;
    if (status === 0) void untilReachable();
    throw new ApiError(status, undefined);
  }
  const { data, error, response } = answer;
  if (data !== undefined && response.ok) return data;
  const body =
    typeof error === "object" && error !== null ? (error as Partial<Schemas["Failure"]>) : undefined;
  throw new ApiError(response.status, body, response.headers.get("x-request-id") ?? "");
}

/** The `data` of a successful answer in the API's envelope. */
export async function dataOf<T>(call: Promise<Answer<{ data: T }>>): Promise<T> {
  return (await ok(call)).data;
}
