/** Clients that occupy the endpoint, on real connections: one does not read, one sends too many requests at once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { after, it } from "node:test";
import { z } from "zod";
import { openRateLimits } from "../../src/http/request/rate-limit.ts";
import type { Route } from "../../src/http/route.ts";
import { createHttp } from "../../src/http/service/server.ts";
import { openLog } from "../../src/log.ts";
import type { Forwarder } from "../../src/mcp/forwarding/forwarder.ts";
import { mcpRoutes } from "../../src/mcp/routes.ts";
import type { SkillResources } from "../../src/mcp/tools/surface.ts";
import { tool } from "../../src/mcp/tools/tool.ts";
import { until } from "../support/until.ts";

const transferMs = 3000;
/** More than the buffers of a connection hold. */
const characters = 30_000_000;

const large = tool({
  name: "large",
  title: "Large",
  description: "Returns a large text",
  input: z.object({}),
  output: z.object({ done: z.boolean() }),
  effect: "read",
  handle: async () => ({ data: { done: true }, text: "x".repeat(characters) }),
});

let port = 0;
let authenticated = 0;

function routes(): Route[] {
  const services = {
    baseUrl,
    log: openLog("silent"),
    translators: [],
    allowsAnonymous: () => Promise.resolve(true),
    rateLimits,
  };
  const surface = { tools: [large], prompts: [], skills: {} as SkillResources };
  const forwarder = { path: "/mcp/central" } as Forwarder;
  return mcpRoutes(surface, forwarder, services, { version: "0.0.0", draining: undefined, transferMs });
}

const baseUrl = () => `http://127.0.0.1:${port}`;
const rateLimits = openRateLimits({ enabled: true });

const unused = () => Promise.reject(new Error("not used"));
const answer = createHttp({
  routes: routes(),
  baseUrl,
  version: "0.0.0-test",
  trustProxy: 0,
  log: openLog("silent"),
  rateLimits,
  idempotency: { claim: unused, complete: unused, release: unused } as never,
  translators: [],
  anonymize: (address) => address,
  async authenticate({ origin, authorization }) {
    authenticated++;
    return { kind: "anonymous", origin: { ...origin, ipHash: authorization } };
  },
}).callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1");
await once(server, "listening");
({ port } = server.address() as AddressInfo);

after(() => {
  server.closeAllConnections();
  server.close();
});

const message = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "large", arguments: {} },
});

it("a client that never reads its result is cut off", async () => {
  const requested = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
      `accept: application/json, text/event-stream\r\ncontent-length: ${message.length}\r\n\r\n${message}`,
  );
  const [request, response] = await requested;
  await once(response, "close");

  assert.equal(response.statusCode, 200);
  assert.equal(request.socket.destroyed, true);

  let bytes = 0;
  socket.on("data", (piece: Buffer) => (bytes += piece.length));
  socket.resume();
  await closed;
  assert.ok(bytes < characters, `${bytes} bytes had arrived`);
});

it("a client with too many requests in progress is refused at once, and others are served", async () => {
  const most = 16 + 256;
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const statusOf = async (caller: string) => {
    const response = await fetch(`${baseUrl()}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${caller}`,
      },
      body: list,
    });
    await response.text();
    return response.status;
  };
  let arrived = 0;
  const count = () => void arrived++;
  server.on("request", count);
  // Their bodies never end.
  const sockets = Array.from({ length: most }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
        "authorization: Bearer one\r\ncontent-length: 100\r\n\r\n{",
    );
    return socket;
  });
  await until("all to arrive", () => arrived >= most && authenticated >= most);
  server.off("request", count);

  const known = authenticated;
  assert.equal(await statusOf("one"), 429);
  assert.equal(authenticated, known, "nothing was looked up");
  assert.equal(await statusOf("other"), 200);
  for (const socket of sockets) socket.destroy();
  await until("the places to be free", async () => (await statusOf("one")) === 200);
});
