/** Servers with HTTP+SSE, whose one stream has the results of all requests, and the changes of the lists. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { mcpCentral, setUpConnectors } from "./fixture.ts";
import { change, listen, namesOf } from "./listeners.ts";
import { startUpstream } from "./upstream.ts";

let user: TestUser;

const central = await setUpConnectors();
const upstream = await closedAfter(startUpstream("sse"));
await central.register("old", upstream.url, { transport: "sse" });

beforeEach(async () => {
  upstream.fault = undefined;
  upstream.tools = undefined;
  upstream.requests.length = 0;
  user = await newMember(central.service, central.org, "member");
});

const call = async (name: string, given: object = {}) => {
  const { body } = await central.post("tools/call", { name: `old__${name}`, arguments: given }, user.token);
  const [text, facts] = body.result!.content.map((part) => part.text);
  return { text: text!, isError: body.result!.isError === true, facts: facts ?? "" };
};
const works = { text: "echo x", isError: false, facts: "" };
const streams = () => upstream.requests.filter(({ method }) => method === "GET").length;
const isPost = (request: IncomingMessage) => request.method === "POST";

describe("the lists of a server with HTTP+SSE", () => {
  it("are reported when the server reports their changes, each for itself", async (test) => {
    await central.connected("old", {}, user);
    const listeners = await listen(test, central, user);
    await until("the lists to be read", () =>
      ["tools", "prompts", "resources"].every((list) =>
        upstream.requests.some(({ body }) => body.includes(`"${list}/list"`)),
      ),
    );

    for (const listener of listeners)
      await until("the tool", async () => (await namesOf(listener)).includes("old__echo"));
    // On a slow machine, the first list of tools may be a change for a listener.
    const tools = listeners.map(({ heard }) => heard.tools);

    for (const name of ["first", "second"]) {
      await change(
        listeners,
        () => {
          upstream.names.prompt = name;
          upstream.changed("prompts");
        },
        (names) => names.join() === `old__${name}`,
        "prompts",
      );
      await change(
        listeners,
        () => {
          upstream.names.resource = name;
          upstream.changed("resources");
        },
        (names) => names.join() === `central.old:notes://${name}`,
        "resources",
      );
    }

    assert.deepEqual(
      listeners.map(({ heard }) => heard.tools),
      tools,
    );
  });

  it("are read by a new session once the stream has ended, and what has changed in between is reported", async (test) => {
    await central.connected("old", {}, user);
    const listeners = await listen(test, central, user);
    for (const listener of listeners)
      await until("the tool", async () => (await namesOf(listener)).includes("old__echo"));
    const opened = streams();
    const prompts = listeners.map(({ heard }) => heard.prompts);

    await change(
      listeners,
      () => {
        upstream.tools = [{ name: "later", inputSchema: { type: "object" } }];
        upstream.names.prompt = "later";
        upstream.forgetSessions();
      },
      (names) => names.includes("old__later"),
    );
    for (const [at, listener] of listeners.entries()) {
      assert.ok(listener.heard.prompts > prompts[at]!);
      assert.deepEqual(await namesOf(listener, "prompts"), ["old__later"]);
    }
    assert.equal(streams(), opened + 1, "one stream, by the client that reads the lists");
    await change(
      listeners,
      () => {
        upstream.tools = [{ name: "last", inputSchema: { type: "object" } }];
        upstream.toolsChanged();
      },
      (names) => names.includes("old__last"),
    );
  });
});

describe("calls of a server with HTTP+SSE", () => {
  it("end with the stream, and the next one has another", async () => {
    await central.connected("old", {}, user);
    assert.deepEqual(await call("echo", { text: "x" }), works);
    const running = call("wait");
    await until("the call to arrive", () => upstream.requests.some(({ body }) => body.includes('"wait"')));

    upstream.forgetSessions();

    const ended = await running;
    assert.ok(ended.isError);
    assert.match(ended.text, /can't be reached/);
    assert.deepEqual(await call("echo", { text: "x" }), works);
  });

  it("have as many bytes as a response may have, each, on a stream that has had more", async () => {
    await central.connected("old", {}, user);
    const size = Math.ceil(limits.connectorResponseBytes / 3);
    upstream.requests.length = 0;

    for (let time = 0; time < 4; time++) assert.equal((await call("echo", { size })).text.length, size);
    assert.equal(streams(), 1);
    const large = await call("echo", { size: limits.connectorResponseBytes });

    assert.ok(large.isError);
    assert.match(large.text, /response is too large/);
    assert.deepEqual(await call("echo", { text: "x" }), works);
  });

  it("that are refused have their cause explained", async () => {
    await central.connected("old", {}, user);
    const answers: [status: number, expected: RegExp][] = [
      [403, /refused access/],
      [429, /limits the rate of requests/],
      [500, /failed/],
      [413, /does not respond as an MCP server/],
    ];
    for (const [status, expected] of answers) {
      upstream.fault = (request, response) => {
        if (!isPost(request) || !upstream.requests.at(-1)!.body.includes("tools/call")) return false;
        response.writeHead(status).end("secret reason");
        return true;
      };
      const refused = await call("echo", { text: "x" });
      upstream.fault = undefined;

      assert.ok(refused.isError);
      assert.match(refused.text, expected);
      assert.ok(!JSON.stringify(refused).includes("secret reason"));
      assert.deepEqual(await call("echo", { text: "x" }), works);
    }
    assert.ok(!central.logged.join("\n").includes("secret reason"));
  });
});

describe("a connection to a server with HTTP+SSE", () => {
  it("that fails has its cause explained", async () => {
    const answers: [problem: string, answer: (response: ServerResponse) => void][] = [
      ["refused", (response) => response.writeHead(403).end("x")],
      ["rate_limited", (response) => response.writeHead(429).end("x")],
      ["server_failed", (response) => response.writeHead(500).end("x")],
      ["not_mcp", (response) => response.writeHead(404).end("x")],
      ["not_mcp", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>x</h1>")],
      ["not_mcp", (response) => response.writeHead(307, { location: "http://127.0.0.2:1/" }).end()],
      ["unreachable", (response) => response.destroy()],
      ["unreachable", (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end()],
    ];
    for (const [problem, answer] of answers) {
      upstream.fault = (request, response) => {
        if (request.method === "GET") answer(response);
        return request.method === "GET";
      };
      const { data } = await central.create("old", user);
      const { connector } = (await central.connect(data.id, {}, user)).data;

      assert.deepEqual([connector.connectionStatus, connector.problem], ["error", problem]);
    }
  });

  it("leads to no private network", async () => {
    const guarded = await setUpConnectors({
      mcpCentral: { ...mcpCentral, privateNetwork: false },
    });
    await guarded.register("old", upstream.url, { transport: "sse" });
    const { data } = await guarded.create("old");
    const { connector } = (await guarded.connect(data.id)).data;

    assert.deepEqual([connector.connectionStatus, connector.problem], ["error", "forbidden_address"]);
    assert.deepEqual(upstream.requests, []);
  });
});
