/** Changes of the lists of `/mcp/central`, as clients of both generations of the protocol hear of them. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Client, McpSubscription } from "@modelcontextprotocol/client";
import { limits } from "../../contract/limits.ts";
import { reportConnectorChange } from "../../src/connectors/changes.ts";
import { newMember } from "../support/organization.ts";
import { until } from "../support/until.ts";
import { setUpConnectors } from "./fixture.ts";
import { change, listen } from "./listeners.ts";
import { startUpstream, type Upstream, type UpstreamKind } from "./upstream.ts";

const kinds = ["stateless", "sessions", "sse"] as const satisfies UpstreamKind[];

const draining = new AbortController();
const upstreams = new Map<string, Upstream>();

const central = await setUpConnectors({ draining: draining.signal });
for (const kind of kinds) {
  const upstream = await startUpstream(kind);
  upstreams.set(kind, upstream);
  await central.register(kind, upstream.url, kind === "sse" ? { transport: "sse" } : {});
}

after(async () => {
  for (const upstream of upstreams.values()) await upstream.close();
});

const newUser = () => newMember(central.service, central.org, "member");
const addressOf = () => new URL("/mcp/central", central.service.url);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Events of a stream by hand, in the protocol version with `initialize`. */
async function openStream(token: string, headers: Record<string, string> = {}) {
  const response = await fetch(addressOf(), {
    headers: { ...bearer(token), accept: "text/event-stream", ...headers },
  });
  const read = { text: "", isEnded: false };
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      read.text += value;
    }
    read.isEnded = true;
  })();
  reading.catch(() => undefined);
  return { status: response.status, read, close: () => reader.cancel() };
}

describe("clients of the endpoint of hosted connectors", () => {
  it("hear of connectors that appear and disappear, of their user only", async (test) => {
    const [user, stranger] = [await newUser(), await newUser()];
    const [listeners, others] = [await listen(test, central, user), await listen(test, central, stranger)];
    const ids: string[] = [];
    for (const { client } of listeners)
      assert.equal(client.getServerCapabilities()?.tools?.listChanged, true);

    await change(
      listeners,
      async () => ids.push((await central.connected("stateless", {}, user)).id),
      (names) => names.includes("stateless__echo"),
    );
    await change(
      listeners,
      () => central.service.call("DELETE", `/api/user/connectors/${ids[0]}`, { token: user.token }),
      (names) => names.join() === "central__status",
    );

    assert.deepEqual(
      others.map(({ heard }) => heard.tools),
      [0, 0],
    );
  });

  for (const kind of kinds)
    it(`hear of changes of a server (${kind})`, async (test) => {
      const user = await newUser();
      const upstream = upstreams.get(kind)!;
      await central.connected(kind, {}, user);
      upstream.requests.length = 0;
      const listeners = await listen(test, central, user);
      await until("the service to follow the server", () =>
        upstream.requests.some(
          ({ method, body }) =>
            // By HTTP+SSE, changes come on the stream of the results.
            method === "GET" || body.includes(kind === "sse" ? "tools/list" : "subscriptions/listen"),
        ),
      );

      for (const name of ["first", "second"])
        await change(
          listeners,
          () => {
            upstream.tools = [{ name, inputSchema: { type: "object" } }];
            upstream.toolsChanged();
          },
          (names) => names.includes(`${kind}__${name}`),
        );

      upstream.tools = undefined;
    });

  it("cause few requests if a server reports changes all the time", async (test) => {
    const user = await newUser();
    const upstream = upstreams.get("stateless")!;
    await central.connected("stateless", {}, user);
    const listeners = await listen(test, central, user);
    await until("the service to follow the server", () =>
      upstream.requests.some(({ body }) => body.includes("subscriptions/listen")),
    );
    upstream.requests.length = 0;

    await change(
      listeners,
      () => {
        for (let time = 0; time < 20_000; time++) upstream.toolsChanged();
        upstream.tools = [{ name: "last", inputSchema: { type: "object" } }];
        upstream.toolsChanged();
      },
      (names) => names.includes("stateless__last"),
    );

    const lists = upstream.requests.filter(({ body }) => body.includes('"tools/list"'));
    assert.ok(lists.length < 20, `${lists.length} lists`);
    assert.ok(
      listeners.every(({ heard }) => heard.tools < 10),
      listeners.map(({ heard }) => heard.tools).join(),
    );
    upstream.tools = undefined;
  });
});

describe("a stream of changes", () => {
  it("ends with the token of its caller", async (test) => {
    const user = await newUser();
    const made = await central.service.call<{ token: string; id: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "agent" },
    });
    const [modern] = await listen(test, central, { ...user, token: made.data.token });
    const byHand = await openStream(made.data.token);
    const remaining = await openStream(user.token);
    const subscription: McpSubscription = (modern!.client as Client).autoOpenedSubscription!;

    await central.service.call("DELETE", `/api/user/tokens/${made.data.id}`, { cookie: user.cookie });
    reportConnectorChange(central.service.app, user.id);

    assert.equal(await subscription.closed, "graceful");
    await until("the end of the other stream", () => byHand.read.isEnded);
    assert.equal(remaining.read.isEnded, false);
    assert.equal((await openStream(made.data.token)).status, 401);
    await remaining.close();
  });

  it("is refused without a sign-in, from other sites, and above the number of a user", async () => {
    const user = await newUser();
    const open = [];
    for (let at = 0; at < limits.connectorStreamsPerUser; at++) open.push(await openStream(user.token));

    assert.ok(open.every(({ status }) => status === 200));
    assert.equal((await openStream(user.token)).status, 429);
    const other = await openStream(central.owner.token);
    assert.equal(other.status, 200);
    assert.equal((await openStream("lsk_unknown")).status, 401);
    assert.equal((await openStream(user.token, { origin: "https://evil.example" })).status, 403);
    const subscribed = await central.post("subscriptions/listen", { notifications: {} }, user.token);
    assert.ok(subscribed.body.error, "a client with initialize can't subscribe");
    await open[0]!.close();
    const again = await until("the place to be free", async () => {
      const stream = await openStream(user.token);
      return stream.status === 200 && stream;
    });
    for (const stream of [...open.slice(1), other, again]) await stream.close();
  });

  it("reports at once what has changed since the event that the caller names", async () => {
    const user = await newUser();
    const first = await openStream(user.token);
    const id = await until("the id", () => /^id: (.+)$/m.exec(first.read.text)?.[1]);
    await first.close();
    const same = await openStream(user.token, { "last-event-id": id });
    await until("the id again", () => same.read.text.includes(`id: ${id}`));
    assert.ok(!same.read.text.includes("list_changed"));
    await same.close();
    await central.connected("sessions", {}, user);

    const later = await openStream(user.token, { "last-event-id": id });

    await until("the change", () => later.read.text.includes("notifications/tools/list_changed"));
    await later.close();
    for (const forged of ["x", "..", "a".repeat(16), `${"é".repeat(16)}.b.c`]) {
      const stream = await openStream(user.token, { "last-event-id": encodeURIComponent(forged) });
      assert.equal(stream.status, 200);
      await stream.close();
    }
  });

  it("ends with the process", async (test) => {
    const user = await newUser();
    const [modern] = await listen(test, central, user);
    const byHand = await openStream(user.token);
    const { closed } = (modern!.client as Client).autoOpenedSubscription!;

    draining.abort();

    assert.equal(await closed, "graceful");
    await until("the end", () => byHand.read.isEnded);
    assert.equal((await openStream(user.token)).status, 503);
  });
});
