/**
 * The application for tests of accounts: over real HTTP and the real engine, with forms, a clock that tests advance and
 * access to the log. It starts quickly, since it has no repositories, which accounts don't need, and a queue that only
 * records its jobs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { after, before, beforeEach } from "node:test";
import { hash } from "@node-rs/argon2";
import { createApi } from "../../src/api.ts";
import type { App } from "../../src/app.ts";
import { openPasswords } from "../../src/auth/passwords.ts";
import { openCompute } from "../../src/compute/compute.ts";
import { readConfig, type Config } from "../../src/config.ts";
import { openRateLimits } from "../../src/http/request/rate-limit.ts";
import { openLog } from "../../src/log.ts";
import { openMailer } from "../../src/mail/mailer.ts";
import type { Queue } from "../../src/queue/index.ts";
import type { JobName } from "../../src/queue/jobs.ts";
import { openSecrets } from "../../src/secrets.ts";
import { newId } from "../../storage/database.ts";
import { openStorage, type Storage } from "../../storage/index.ts";
import { emptyDatabase, serviceDatabase } from "./engine.ts";
import { processorTime } from "./processor-time.ts";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON body; `undefined` for pages. */
  body: Body;
}

/** The parts of a JSON response that tests read. */
interface Body {
  success?: boolean;
  error?: string;
  error_description?: string;
  code?: string;
  details?: Record<string, unknown>;
  data: Record<string, unknown> & { id: string };
  [key: string]: unknown;
}

interface QueuedJob {
  name: JobName;
  payload: object;
}

interface CallOptions {
  json?: unknown;
  /** Fields of a multipart form. */
  form?: Record<string, string>;
  urlencoded?: Record<string, string>;
  raw?: { type: string; body: string };
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
}

export interface AccountsService {
  app: App;
  url: string;
  storage: Storage;
  /** Every line that was logged. */
  logged: string[];
  /** Every job that was queued. None is run. */
  queued: QueuedJob[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  advance(ms: number): void;
  /** Waits for work that continues after responses. */
  settled(): Promise<void>;
  /** Removes all data. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the features on a free port, on this test file's database. Rate limits are off by default. */
export async function startAccounts(overrides: Partial<Config> = {}): Promise<AccountsService> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "svc-accounts-"));
  const database = await serviceDatabase();
  const storage = await openStorage({ url: database.url, database: database.name });
  const config = {
    ...readConfig({
      DATA_DIR: dataDir,
      PORT: "0",
      RATE_LIMITS: "false",
      MCP_ANONYMOUS: "on",
      OAUTH_CLIENT_DOCUMENTS: "true",
    }),
    ...overrides,
  };
  const compute = openCompute();
  const logged: string[] = [];
  const log = openLog("info", { write: (line) => logged.push(line) });
  const working = new Set<Promise<unknown>>();
  const queued: QueuedJob[] = [];
  let aheadMs = 0;
  const app: App = {
    config,
    log,
    secrets: openSecrets({ keys: undefined, dataDir }),
    storage,
    get repos(): never {
      throw new Error("accounts have no business with repositories");
    },
    get mirrors(): never {
      throw new Error("accounts have no business with connected repositories");
    },
    makePlan: () => Promise.reject(new Error("accounts have no business with connected repositories")),
    get uploadPack(): never {
      throw new Error("accounts have no business with clones");
    },
    compute,
    queue: noting(queued),
    mail: openMailer({ ...config, log }),
    passwords: openPasswords(),
    rateLimits: openRateLimits({ enabled: config.rateLimits, addressFactor: config.addressLimits.factor }),
    resolveTxt: () => Promise.reject(new Error("accounts have no business with domains")),
    now: () => new Date(Date.now() + aheadMs),
    newId,
    onClose: () => undefined,
    background(name, work) {
      const done = work()
        .catch((error: unknown) => log.error({ error, work: name }, "background work failed"))
        .finally(() => working.delete(done));
      working.add(done);
    },
  };
  const health = {
    release: { version: "0.0.0-test" },
    isDraining: false,
    checks: { database: () => storage.ping() },
  };
  const answer = createApi(app, health).callback();
  const server = createServer((request, response) => void answer(request, response));
  // On a busy machine a client may send on a connection just as a short-lived one is closed.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (overrides.baseUrl === undefined) config.baseUrl = url;

  return {
    app,
    url,
    storage,
    logged,
    queued,
    advance: (ms) => void (aheadMs += ms),
    async settled() {
      while (working.size > 0) await Promise.allSettled(working);
    },
    async clear() {
      while (working.size > 0) await Promise.allSettled(working);
      await emptyDatabase(storage.database.raw);
      queued.length = 0;
      aheadMs = 0;
    },
    async close() {
      while (working.size > 0) await Promise.allSettled(working);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await compute.close();
      await storage.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
    call: (method, target, options = {}) => sendForm(url, config.baseUrl, method, target, options),
  };
}

/** A queue that runs nothing: these tests call the processors that they test. */
function noting(queued: QueuedJob[]): Queue {
  const refuse = () => Promise.reject(new Error("the account tests have no workers"));
  return {
    kind: "embedded",
    enqueue: async (name, payload) => void queued.push({ name, payload }),
    upsertSchedule: refuse,
    removeSchedule: refuse,
    adoptRenamedJobs: refuse,
    counts: refuse,
    get inspector(): never {
      throw new Error("the account tests have no queue");
    },
    startConsumers: () => {
      throw new Error("the account tests have no workers");
    },
    close: async () => {},
  };
}

/** Sends a request as a browser or a program does, whose own address of the service is `baseUrl`. */
export async function sendForm(
  url: string,
  baseUrl: string,
  method: string,
  target: string,
  options: CallOptions,
): Promise<Answer> {
  const headers = new Headers();
  let body: string | FormData | URLSearchParams | undefined;
  if (options.json !== undefined) {
    headers.set("content-type", "application/json");
    body = JSON.stringify(options.json);
  } else if (options.form) {
    body = new FormData();
    for (const [name, value] of Object.entries(options.form)) body.append(name, value);
  } else if (options.urlencoded) {
    body = new URLSearchParams(options.urlencoded);
  } else if (options.raw) {
    headers.set("content-type", options.raw.type);
    body = options.raw.body;
  }
  if (options.token !== undefined) headers.set("authorization", `Bearer ${options.token}`);
  if (options.cookie !== undefined) {
    headers.set("cookie", options.cookie);
    // Headers that a browser sends with a cookie on the service's own pages.
    if (method !== "GET") headers.set("origin", new URL(baseUrl).origin);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  const response = await fetch(url + target, {
    method,
    headers,
    redirect: "manual",
    body,
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const parsed = (isJson ? JSON.parse(text) : undefined) as Body;
  return { status: response.status, headers: response.headers, text, body: parsed };
}

/** The `name=value` that a browser would send back for the first cookie set. */
export function cookieOf(answer: Answer): string {
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** The statuses of responses in arbitrary order, counted. */
export function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}

export const password = "correct horse battery";

/** Signs a user up and returns the session. */
export async function signUp(
  service: AccountsService,
  username: string,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; cookie: string; email: string; answer: Answer }> {
  const email = `${username}@example.org`;
  const json = { email, password, name: `Name of ${username}`, username, ...fields };
  const answer = await service.call("POST", "/api/auth/sign-up", { json });
  return { id: answer.body.data?.id, cookie: cookieOf(answer), email, answer };
}

/**
 * Starts the features before the tests of a suite, with the account `ada` alone before each of them. `use` keeps them
 * and the account's session.
 */
export function setUpAccount(
  use: (made: { service: AccountsService; cookie: string; userId: string }) => void,
): void {
  let service: AccountsService;
  before(async () => void (service = await startAccounts()));
  beforeEach(async () => {
    await service.clear();
    const { cookie, id } = await signUp(service, "ada");
    use({ service, cookie, userId: id });
  });
  after(() => service.close());
}

/** Creates a personal token by session. */
export async function createToken(
  service: AccountsService,
  cookie: string,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; token: string; answer: Answer }> {
  const answer = await service.call("POST", "/api/user/tokens", { cookie, json: { name: "ci", ...fields } });
  return { id: answer.body.data?.id, token: String(answer.body.data?.["token"]), answer };
}

/** Processor time of one argon2id at the cost of the safety baseline, on this machine: the least of five. */
export async function argon2Time(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++)
    times.push(
      await processorTime(() => hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })),
    );
  return Math.min(...times);
}
