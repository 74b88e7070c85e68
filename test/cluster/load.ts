/** Clients of a cluster, with a record of every response. */
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, callApi } from "../support/http-client.ts";
import type { Cluster, Node } from "./cluster.ts";

/** Longest time without a complete response of a client that repeats its request. */
const patienceMs = 120_000;

export interface Loop {
  stop(): Promise<void>;
}

/** Repeats an action until it is stopped, and fails `stop` with its first error. */
export function repeat(action: () => Promise<void>): Loop {
  const ending = new AbortController();
  let failure: unknown;
  const running = (async () => {
    while (!ending.signal.aborted) await action();
  })().catch((error: unknown) => (failure = error));
  return {
    async stop() {
      ending.abort();
      await running;
      if (failure !== undefined) throw failure;
    },
  };
}

/** Runs while clients work, and stops all of them. Fails with its own error, or with the first one of a client. */
export async function during(loops: readonly Loop[], run: () => Promise<void>): Promise<void> {
  const settle = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  const results = [await settle(run()), ...(await Promise.all(loops.map((loop) => settle(loop.stop()))))];
  const failed = results.find((result) => result !== undefined);
  if (failed) throw failed.error;
}

/** Sends a request that may be repeated, until it has a response other than those of a process that is away. */
async function insist<T>(send: () => Promise<{ status: number; data: T; error: string | undefined }>) {
  for (const deadline = performance.now() + patienceMs; ; await sleep(50)) {
    const answer = await send().catch((error: unknown) => ({
      status: 0,
      data: undefined,
      error: String(error),
    }));
    if (![0, 502, 503, 504].includes(answer.status))
      return answer as { status: number; data: T; error?: string };
    if (performance.now() > deadline) throw new Error(`no response for ${patienceMs} ms: ${answer.error}`);
  }
}

export interface AccessWatch extends Loop {
  /** Decisions that processes were asked for after a change was acknowledged. */
  asked(): number;
  /** Decisions that were not those of the last acknowledged change. */
  readonly stale: string[];
}

export interface Watched {
  cluster: Cluster;
  owner: Account;
  member: Account;
  folderId: string;
  /** In the folder. */
  skillId: string;
  /** Between two changes. */
  pauseMs?: number;
}

/**
 * Restricts and opens a folder, and mints and revokes tokens, through nginx. After each acknowledgement it asks every
 * API process directly.
 */
export function watchAccess({
  cluster,
  owner,
  member,
  folderId,
  skillId,
  pauseMs = 0,
}: Watched): AccessWatch {
  const stale: string[] = [];
  let asked = 0;

  async function ask(node: Node, token: string, expected: number, what: string): Promise<void> {
    const target = `/api/skills/${skillId}`;
    const answer = await callApi(node.url, "GET", target, { token }).catch(() => undefined);
    // A process that ends or has no database decides nothing.
    if (answer === undefined || answer.status === 503) return;
    asked++;
    if (answer.status !== expected)
      stale.push(`${what}: ${node.name} answered ${answer.status}, not ${expected}`);
  }
  const askAll = (token: string, expected: number, what: string) =>
    Promise.all(cluster.apis.map((node) => ask(node, token, expected, what)));

  async function change(restricted: boolean): Promise<void> {
    const body = { restricted, grants: [] };
    const target = `/api/folders/${folderId}/access`;
    const { status, error } = await insist(() =>
      callApi(cluster.url, "PUT", target, { token: owner.token, body }),
    );
    if (status !== 200) throw new Error(`the folder's access can't be changed: ${status} ${error}`);
    await askAll(member.token, restricted ? 404 : 200, restricted ? "a restriction" : "its removal");
  }

  async function revoke(): Promise<void> {
    const made = await insist(() =>
      callApi<{ id: string; token: string }>(cluster.url, "POST", "/api/user/tokens", {
        cookie: member.cookie,
        body: { name: `watch ${randomBytes(4).toString("hex")}` },
      }),
    );
    if (made.status === 403) {
      // A sign-in permits new tokens for ten minutes.
      const { password } = member;
      const body = { password };
      await insist(() =>
        callApi(cluster.url, "POST", "/api/auth/reauthenticate", { cookie: member.cookie, body }),
      );
      return;
    }
    if (made.status !== 201) throw new Error(`no token: ${made.status} ${made.error}`);
    await askAll(made.data.token, 200, "a new token");
    const target = `/api/user/tokens/${made.data.id}`;
    const gone = await insist(() => callApi(cluster.url, "DELETE", target, { cookie: member.cookie }));
    // A repeated deletion finds nothing.
    if (gone.status !== 200 && gone.status !== 404) throw new Error(`not revoked: ${gone.status}`);
    await askAll(made.data.token, 401, "a revocation");
  }

  const loop = repeat(async () => {
    await change(true);
    await change(false);
    await revoke();
    await sleep(pauseMs);
  });
  return { ...loop, asked: () => asked, stale };
}

export interface Creators extends Loop {
  /** Names of skills whose creation was acknowledged. */
  readonly acknowledged: string[];
  /** Requests without an acknowledgement, each of which was repeated with its key. */
  failed(): number;
}

/** Creates skills, each by one idempotency key, which is sent again until the creation is acknowledged. */
export function startCreators(
  cluster: Cluster,
  token: string,
  tenantId: string,
  { clients = 2, pauseMs = 0 } = {},
): Creators {
  const acknowledged: string[] = [];
  let failed = 0;
  async function create(): Promise<void> {
    const name = `made ${randomBytes(6).toString("hex")}`;
    const key = crypto.randomUUID();
    const body = JSON.stringify({ mode: "create", tenantId, name, content: `# ${name}\n` });
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": key,
    };
    for (const deadline = performance.now() + patienceMs; ; await sleep(50)) {
      const response = await fetch(`${cluster.url}/api/skills`, { method: "POST", headers, body }).catch(
        () => undefined,
      );
      const text = await response?.text().catch(() => undefined);
      if (response?.status === 201 && text !== undefined) break;
      failed++;
      // 409: another process still works on the first request.
      if (response !== undefined && ![409, 502, 503, 504].includes(response.status))
        throw new Error(`creating ${name}: ${response.status} ${text}`);
      if (performance.now() > deadline) throw new Error(`creating ${name} was never acknowledged: ${text}`);
    }
    acknowledged.push(name);
    await sleep(pauseMs);
  }
  const loops = Array.from({ length: clients }, () => repeat(create));
  return {
    acknowledged,
    failed: () => failed,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

export interface Readers extends Loop {
  /** Milliseconds of each request. */
  readonly times: readonly number[];
  /** Requests whose process or database was away. */
  unavailable(): number;
  /** Responses that are neither that nor 200. */
  readonly failures: string[];
}

/** Reads what pages and clients read, through nginx. */
export function startReaders(
  cluster: Cluster,
  options: { tokens: readonly string[]; targets: () => string; clients: number; pauseMs: number },
): Readers {
  const failures: string[] = [];
  const times: number[] = [];
  let unavailable = 0;
  async function read(): Promise<void> {
    const token = options.tokens[randomInt(options.tokens.length)]!;
    const target = options.targets();
    const startedAt = performance.now();
    try {
      const response = await fetch(cluster.url + target, { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      if ([502, 503, 504].includes(response.status)) unavailable++;
      else if (response.status !== 200) failures.push(`${target}: ${response.status} ${text.slice(0, 200)}`);
    } catch {
      unavailable++;
    }
    times.push(performance.now() - startedAt);
    await sleep(options.pauseMs);
  }
  const loops = Array.from({ length: options.clients }, () => repeat(read));
  return {
    failures,
    times,
    unavailable: () => unavailable,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
