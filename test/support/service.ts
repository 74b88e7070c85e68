/**
 * The whole application on a free port of this machine, as tests call it: real engine, real repositories, real HTTP.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { apiRoutes, createApi } from "../../src/api.ts";
import type { App } from "../../src/app.ts";
import { readConfig, type Config } from "../../src/config.ts";
import type { Health } from "../../src/http/service/health.ts";
import { openLog } from "../../src/log.ts";
import { openApp, type OpenedApp } from "../../src/open.ts";
import { openQueue, type Queue, type QueueLocation } from "../../src/queue/index.ts";
import { flushProjections } from "../../src/skills/projection-queue.ts";
import { declaredAnswers } from "./declared.ts";
import { emptyDatabase, emptyRedis, serviceDatabase } from "./engine.ts";
import { sendRequest } from "./http-request.ts";
import { withCommandEvents } from "./round-trips.ts";

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  /** `data` of the envelope; undefined if there is none. */
  data: T;
  nextCursor: string | null | undefined;
  error: string | undefined;
  code: string | undefined;
  details: Record<string, unknown> | undefined;
  body: Record<string, unknown>;
}

export interface CallOptions {
  token?: string;
  cookie?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** A raw body. */
  bytes?: Buffer;
}

export interface TestUser {
  id: string;
  username: string;
  cookie: string;
  /** An unrestricted personal token. */
  token: string;
}

export interface TestOrg {
  id: string;
  slug: string;
}

export interface TestService {
  url: string;
  app: App;
  health: Health;
  /** A JSON call; `body` is sent as JSON. The response is validated against its route's declaration. */
  call<T = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** A call with a raw response. */
  raw(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** A new account with a session and a token. */
  newUser(username?: string): Promise<TestUser>;
  newOrg(user: TestUser, slug?: string): Promise<TestOrg>;
  /** Stages a zip and returns its upload id. */
  upload(user: TestUser, zip: Buffer): Promise<string>;
  /** Waits until work in the background is done. */
  settled(): Promise<void>;
  /** Removes every document, so that a test starts with an empty service. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceOptions extends Partial<Config> {
  now?: () => Date;
  /** Receives every line of the log. */
  logged?: string[];
  /** For tests that run jobs, which would otherwise take those of other files: on the run's Redis, unless named. */
  ownQueue?: true | "embedded";
  /** Look-up of TXT records, in place of the name servers of the machine. */
  resolveTxt?: (name: string) => Promise<string[][]>;
  /** The driver reports its commands, for `watchRoundTrips`. */
  reportsCommands?: true;
  /** Aborted when the process is about to end. */
  draining?: AbortSignal;
}

function queueLocation(own: ServiceOptions["ownQueue"], ownFolder: string): QueueLocation {
  const redisUrl = own === undefined ? process.env["SVC_TEST_REDIS_URL"] : emptyRedis();
  if (redisUrl !== undefined && own !== "embedded") return { redisUrl };
  const shared = own === undefined ? process.env["SVC_TEST_QUEUE_DIR"] : undefined;
  return { dataDir: shared ?? ownFolder };
}

/** Parts of a service while it is open. Variables of test files stay in memory until their process ends. */
interface Open {
  opened: OpenedApp;
  queue: Queue;
  answer: ReturnType<ReturnType<typeof createApi>["callback"]>;
  check: ReturnType<typeof declaredAnswers>;
  settle(): Promise<void>;
}

export async function startService(overrides: ServiceOptions = {}): Promise<TestService> {
  const { now, logged, ownQueue, resolveTxt, reportsCommands, draining, ...config } = overrides;
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-service-"));
  const database = await serviceDatabase();
  const queue = await openQueue(queueLocation(ownQueue, path.join(folder, "queue")), openLog("silent"));
  const mongodbUrl = config.mongodbUrl ?? database.url;
  const opened = await openApp({
    config: {
      ...readConfig({
        DATA_DIR: folder,
        PORT: "0",
        LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
        RATE_LIMITS: "false",
        MCP_ANONYMOUS: "on",
        OAUTH_CLIENT_DOCUMENTS: "true",
      }),
      mongodbDatabase: database.name,
      ...config,
    },
    log: logged
      ? openLog("debug", { write: (line) => logged.push(line) })
      : openLog(process.env["TEST_LOG_LEVEL"] ?? "silent"),
    mongodbUrl: reportsCommands ? withCommandEvents(mongodbUrl) : mongodbUrl,
    queue,
    // Each process loads the sources again, which takes longer than most jobs.
    jobProgram: process.env["SVC_TEST_JOB_PROGRAM"],
    // Nearly every test signs up accounts, and the baseline's cost is most of that. The tests of auth pay it.
    passwordCost: { memoryCost: 64, timeCost: 1, parallelism: 1 },
    ...(now ? { now } : {}),
    resolveTxt,
  });
  const { app } = opened;
  const health: Health = {
    release: { version: "0.0.0-test" },
    isDraining: false,
    checks: { database: () => app.storage.ping() },
    ...(draining ? { draining } : {}),
  };
  const service = await serve(folder, health, {
    opened,
    queue,
    answer: createApi(app, health).callback(),
    check: declaredAnswers(apiRoutes(app, "0.0.0-test")),
    settle: watchBackground(app),
  });
  app.config.baseUrl = config.baseUrl ?? service.url;
  return service;
}

/** Returns a function that waits until the background work of an application is done. */
function watchBackground(app: App): () => Promise<void> {
  const working = new Set<Promise<unknown>>();
  const { background } = app;
  app.background = (name, work) => {
    background(name, () => {
      const done = work();
      working.add(done);
      void done.catch(() => undefined).finally(() => working.delete(done));
      return done;
    });
  };
  return async () => {
    while (flushProjections(app) || working.size > 0) await Promise.allSettled(working);
  };
}

async function serve(folder: string, health: Health, parts: Open): Promise<TestService> {
  const open: Partial<Open> = parts;
  const { app } = parts.opened;
  const server = createServer((request, response) => void open.answer?.(request, response));
  // On a busy machine a client may send on a connection just as a short-lived one is closed.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const agent = new Agent({ keepAlive: true });
  const headersOf = ({ token, cookie, body, headers }: CallOptions) => ({
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(cookie === undefined ? {} : { cookie, origin: app.config.baseUrl }),
    ...headers,
  });
  const bodyOf = ({ body, bytes }: CallOptions) =>
    bytes ?? (body === undefined ? undefined : JSON.stringify(body));

  const raw: TestService["raw"] = (method, target, options = {}) => {
    const body = bodyOf(options);
    return fetch(new URL(target, url), {
      method,
      redirect: "manual",
      headers: headersOf(options),
      ...(body === undefined ? {} : { body }),
    });
  };

  const service: TestService = {
    url,
    app,
    health,
    raw,
    async call<T>(method: string, target: string, options: CallOptions = {}) {
      const sent = { agent, method, headers: headersOf(options), body: bodyOf(options) };
      const { status, headers, text } = await sendRequest(new URL(target, url), sent);
      const isJson = (headers.get("content-type") ?? "").includes("json");
      const json = (isJson && text !== "" ? JSON.parse(text) : {}) as Record<string, unknown>;
      open.check?.({ method, path: target, status, headers, body: json });
      return {
        status,
        headers,
        data: json["data"] as T,
        nextCursor: json["nextCursor"] as string | null | undefined,
        error: json["error"] as string | undefined,
        code: json["code"] as string | undefined,
        details: json["details"] as Record<string, unknown> | undefined,
        body: json,
      };
    },
    async newUser(username = `u${randomBytes(5).toString("hex")}`) {
      const account = {
        email: `${username}@example.com`,
        password: "correct horse battery",
        name: username,
        username,
      };
      const signedUp = await service.call<{ id: string }>("POST", "/api/auth/sign-up", { body: account });
      if (signedUp.status !== 201) throw new Error(`sign-up failed: ${JSON.stringify(signedUp.body)}`);
      const cookie = signedUp.headers.getSetCookie()[0]!.split(";")[0]!;
      const minted = await service.call<{ token: string }>("POST", "/api/user/tokens", {
        cookie,
        body: { name: "test" },
      });
      return { id: signedUp.data.id, username, cookie, token: minted.data.token };
    },
    async newOrg(user, slug = `o${randomBytes(5).toString("hex")}`) {
      const made = await service.call<TestOrg>("POST", "/api/tenants", {
        token: user.token,
        body: { name: slug, slug },
      });
      if (made.status !== 201) throw new Error(`creating ${slug} failed: ${JSON.stringify(made.body)}`);
      return { id: made.data.id, slug };
    },
    async upload(user, zip) {
      const sha256 = createHash("sha256").update(zip).digest("hex");
      const announced = await service.call<{ uploadId: string; url: string }>("POST", "/api/uploads", {
        token: user.token,
        body: { size: zip.length, sha256 },
      });
      if (announced.status !== 201) throw new Error(`announcing failed: ${JSON.stringify(announced.body)}`);
      const sent = await raw("PUT", announced.data.url, { token: user.token, bytes: zip });
      if (sent.status !== 200) throw new Error(`upload failed: ${await sent.text()}`);
      return announced.data.uploadId;
    },
    async settled() {
      await open.settle?.();
    },
    async empty() {
      await service.settled();
      await emptyDatabase(app.storage.database.raw);
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await open.opened?.close();
      await open.queue?.close();
      rmSync(folder, { recursive: true, force: true });
      forget(open);
      forget(app, ["config", "log"]);
      app.background = ignoreWork;
    },
  };
  return service;
}

/** A round of background work that failed would be repeated after the end of its service. */
const ignoreWork: App["background"] = () => undefined;

/** Removes the properties of an object that nothing needs any more. */
function forget(object: object, except: readonly string[] = []): void {
  for (const name of Object.keys(object)) if (!except.includes(name)) Reflect.deleteProperty(object, name);
}
