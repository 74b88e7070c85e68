/**
 * Calls through hosted connectors against calls of the same remote server, and the memory of idle connectors.
 *
 * `npm run bench -- connectors [--calls=300] [--users=10]`
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { limits } from "../contract/limits.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../test/support/server.ts";
import { median, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";

/**
 * `warmUp`: rounds before those that count. Both sides then run optimized code, as a service does that has run for a
 * minute.
 */
const { calls, users, warmUp, rounds, idleMs } = readOptions("connectors", {});
/** Time that the slow tool takes, as many remote calls do. */
const toolMs = 100;
const atOnce = 50;

async function startUpstream(): Promise<{ url: string; close: () => void }> {
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: "upstream", version: "1.0.0" }, { capabilities: { tools: {} } });
    const content = [{ type: "text" as const, text: "done" }];
    mcp.registerTool("fast", { description: "Returns at once" }, () => ({ content }));
    mcp.registerTool("slow", { description: "Takes a while" }, async () => {
      await sleep(toolMs);
      return { content };
    });
    return mcp;
  });
  const server = createServer(toNodeHandler(handler));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, close: () => server.closeAllConnections() };
}

/** Calls a tool, and returns the time that it took. */
async function call(url: string, name: string, token?: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true') || !text.includes("done"))
    throw new Error(`${name}: ${text.slice(0, 300)}`);
  return performance.now() - started;
}

/** A user with as many connected servers as a user may have, named `s0` and so on. */
async function connectAll(server: Server, number: number, url: string): Promise<Client> {
  const client = await signUp(server, `user${number}`);
  const slug = `org${number}`;
  await client.send("POST", "/api/tenants", { name: slug, slug });
  for (let at = 0; at < limits.connectorsPerUser; at++) {
    const body = { name: `s${at}`, slug: `s${at}`, transport: "http", url, allowHttp: true };
    await client.send("POST", `/api/tenants/${slug}/mcp-servers`, body);
    const made = await client.send<{ id: string }>("POST", "/api/user/connectors", {
      server: `${slug}/s${at}`,
    });
    const connected = await fetch(`${client.base}/api/user/connectors/${made.id}/connect`, {
      method: "POST",
      headers: { cookie: client.cookie, origin: client.base, "content-type": "application/json" },
      body: "{}",
    });
    if (!(await connected.text()).includes('"connected"')) throw new Error("a connector is not connected");
  }
  return client;
}

async function compareLatency(url: string, central: string, { token }: Client): Promise<Row> {
  const direct: number[] = [];
  const proxied: number[] = [];
  for (let n = -warmUp; n < calls; n++) {
    const times = [await call(url, "fast"), await call(central, "s0__fast", token)] as const;
    if (n < 0) continue;
    direct.push(times[0]);
    proxied.push(times[1]);
  }
  const [a, b] = [median(proxied), median(direct)];
  return row(
    "added by the proxy",
    a - b,
    "ms",
    { most: 15 },
    `${a.toFixed(2)} ms against ${b.toFixed(2)} ms`,
  );
}

/** Median times of calls that are sent 50 at a time, in rounds that alternate. */
async function compareConcurrent(url: string, central: string, clients: Client[]): Promise<Row> {
  const direct: number[] = [];
  const proxied: number[] = [];
  const round = (one: (n: number) => Promise<number>) =>
    Promise.all(Array.from({ length: atOnce }, (_, n) => one(n)));
  for (let n = -warmUp; n < rounds; n++) {
    const ours = await round((at) => call(central, `s${at % 20}__slow`, clients[at % clients.length]!.token));
    const own = await round(() => call(url, "slow"));
    if (n < 0) continue;
    proxied.push(...ours);
    direct.push(...own);
  }
  const [a, b] = [median(proxied), median(direct)];
  const note = `${a.toFixed(1)} ms against ${b.toFixed(1)} ms`;
  return row(`${atOnce} calls at once`, a / b, "x", { most: 1.25 }, note);
}

const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

/** Memory that the process has gained with a client open for each connector. */
async function measureIdle(central: string, pid: number, clients: Client[]): Promise<Row> {
  const before = residentMegabytes(pid);
  for (const { token } of clients)
    for (let at = 0; at < limits.connectorsPerUser; at++) await call(central, `s${at}__fast`, token);
  await sleep(idleMs);
  const count = clients.length * limits.connectorsPerUser;
  const after = residentMegabytes(pid);
  const note = `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`;
  return row(`${count} idle connectors`, after - before, "MB", { most: 100 }, note);
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const env = { LOG_LEVEL: "warn", RATE_LIMITS: "false", MCP_CENTRAL_PRIVATE_NETWORK: "true" };
  const [server, upstream] = await Promise.all([startServer({ dataDir, env }), startUpstream()]);
  const central = `${server.url}/mcp/central`;
  try {
    const clients: Client[] = [];
    for (let number = 0; number < users; number++)
      clients.push(await connectAll(server, number, upstream.url));
    const rows = [
      await measureIdle(central, server.pid, clients),
      await compareLatency(upstream.url, central, clients[0]!),
      await compareConcurrent(upstream.url, central, clients),
    ];
    reportRows(rows);
  } finally {
    upstream.close();
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
process.exit();
