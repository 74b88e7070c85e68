/** The REST interface as a program other than our client calls it. */
import assert from "node:assert/strict";

/** Longer than the service's time limit for requests of tests: a response that takes longer never comes. */
const answerTimeoutMs = 180_000;

/** Ends a call without a response by an error that names it, so that a test fails rather than hangs. */
export const answered = (): AbortSignal => AbortSignal.timeout(answerTimeoutMs);

export interface ApiAnswer<T> {
  status: number;
  headers: Headers;
  data: T;
  error: string | undefined;
  code: string | undefined;
}

export interface ApiOptions {
  token?: string;
  cookie?: string;
  body?: unknown;
  signal?: AbortSignal;
}

export interface Account {
  username: string;
  email: string;
  password: string;
  /** The session, as a browser sends it. */
  cookie: string;
  /** An unrestricted personal token. */
  token: string;
}

/** One JSON call. Throws only if no complete response is received, at the latest after a minute. */
export async function callApi<T = Record<string, unknown>>(
  url: string,
  method: string,
  target: string,
  { token, cookie, body, signal = answered() }: ApiOptions = {},
): Promise<ApiAnswer<T>> {
  const response = await fetch(url + target, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie, origin: url }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  });
  const text = await response.text();
  const json = JSON.parse(text) as { data: T; error?: string; code?: string };
  return {
    status: response.status,
    headers: response.headers,
    data: json.data,
    error: json.error,
    code: json.code,
  };
}

/** Signs up, with the set-up link's token if the service is empty, and creates a token. */
export async function newAccount(url: string, username: string, setupLink?: string): Promise<Account> {
  const email = `${username}@example.com`;
  const password = "correct horse battery";
  const setupToken = setupLink === undefined ? undefined : new URL(setupLink).searchParams.get("token");
  const signedUp = await callApi(url, "POST", "/api/auth/sign-up", {
    body: {
      email,
      password,
      name: `Name of ${username}`,
      username,
      ...(setupToken ? { setupToken } : {}),
    },
  });
  assert.equal(signedUp.status, 201, signedUp.error);
  const cookie = signedUp.headers.getSetCookie()[0]!.split(";")[0]!;
  const minted = await callApi<{ token: string }>(url, "POST", "/api/user/tokens", {
    cookie,
    body: { name: "journey" },
  });
  assert.equal(minted.status, 201, minted.error);
  return { username, email, password, cookie, token: minted.data.token };
}

export async function newOrganization(url: string, account: Account, slug: string): Promise<string> {
  const made = await callApi<{ id: string }>(url, "POST", "/api/tenants", {
    token: account.token,
    body: { name: `Org ${slug}`, slug },
  });
  assert.equal(made.status, 201, made.error);
  return made.data.id;
}
