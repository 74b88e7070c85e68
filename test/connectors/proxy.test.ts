/** Calls through `/mcp/central`, by clients of both generations of the protocol, to servers of each transport. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { McpCentralPayload } from "../../contract/payloads/connectors.ts";
import type { ConnectorCallDoc } from "../../storage/connectors/calls.ts";
import { openLegacyClient, openModernClient, type AnyClient } from "../support/mcp/client.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";
import { setUpConnectors } from "./fixture.ts";
import { startUpstream, type Upstream, type UpstreamKind } from "./upstream.ts";

const kinds = ["stateless", "sessions", "sse"] as const satisfies UpstreamKind[];
const secret = "sk-very-secret-0123456789";

const upstreams = new Map<string, Upstream>();
const clients: AnyClient[] = [];

const central = await setUpConnectors();
const user = await newMember(central.service, central.org, "member");
for (const kind of kinds) {
  const upstream = await startUpstream(kind);
  upstreams.set(kind, upstream);
  await central.register(kind, upstream.url, {
    transport: kind === "sse" ? "sse" : "http",
    headers: [{ name: "X-Api-Key", kind: "member", label: "Key", secret: true, required: true }],
  });
  await central.connected(kind, { variables: { "X-Api-Key": secret } }, user);
}
for (const open of [openModernClient, openLegacyClient])
  clients.push(await open(central.service, user.token, "/mcp/central"));

after(async () => {
  for (const client of clients) await client.close();
  for (const upstream of upstreams.values()) await upstream.close();
});

const upstreamOf = (kind: UpstreamKind) => upstreams.get(kind)!;

async function namesOf(client: AnyClient): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name);
}

async function call(
  client: AnyClient,
  name: string,
  input: object = {},
): Promise<{ text: string; isError: boolean }> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const [first] = result.content as { text?: string }[];
  return { text: first?.text ?? "", isError: result.isError === true };
}

async function callsOf(id: string): Promise<ConnectorCallDoc[]> {
  await central.service.settled();
  const rows = central.service.app.storage.database.raw.collection<ConnectorCallDoc>("connector_calls");
  return rows.find({ userId: id }).sort({ at: 1 }).toArray();
}

describe("the endpoint of hosted connectors", () => {
  it("lists the tools of all connected servers under the names of their connectors", async () => {
    for (const client of clients) {
      const names = await namesOf(client);

      assert.equal(names[0], "central__status");
      for (const kind of kinds) assert.ok(names.includes(`${kind}__echo`), names.join());
      assert.ok(names.every((name) => /^[A-Za-z0-9_.-]{1,128}$/.test(name)));
    }
  });

  it("forwards calls with the credentials of the connector, and never the caller's token", async () => {
    for (const client of clients)
      for (const kind of kinds) {
        const { requests } = upstreamOf(kind);
        requests.length = 0;

        assert.deepEqual(await call(client, `${kind}__echo`, { text: "hi" }), {
          text: "echo hi",
          isError: false,
        });

        assert.ok(requests.length > 0);
        for (const { headers } of requests) {
          assert.equal(headers["x-api-key"], secret);
          assert.ok(!JSON.stringify(headers).includes(user.token));
        }
      }
  });

  it("forwards failures of tools, and refuses tools that do not exist", async () => {
    for (const client of clients) {
      assert.deepEqual(await call(client, "stateless__fail"), { text: "it failed", isError: true });
      assert.equal((await call(client, "nothing__echo")).isError, true);
      assert.equal((await call(client, "echo")).isError, true);
      const unknown = await call(client, "stateless__nothing").catch((error: Error) => ({
        text: error.message,
        isError: true,
      }));
      assert.ok(unknown.isError);
    }
  });

  it("forwards progress to callers who ask for it", async () => {
    for (const client of clients)
      for (const kind of ["stateless", "sessions"] as const) {
        const seen: unknown[] = [];
        const onprogress = (progress: { progress: number; message?: string }) => seen.push(progress.message);
        const parameters = { name: `${kind}__steps`, arguments: {} };
        await (client.callTool as (p: unknown, a?: unknown, b?: unknown) => Promise<unknown>).call(
          client,
          parameters,
          ...(client === clients[0] ? [{ onprogress }] : [undefined, { onprogress }]),
        );

        assert.deepEqual(seen, ["step 1", "step 2", "step 3"]);
      }
  });

  it("cancels the call at the server when its caller cancels it", async () => {
    for (const client of clients)
      for (const kind of ["stateless", "sessions"] as const) {
        const upstream = upstreamOf(kind);
        const cancelled = upstream.cancelled;
        const abort = new AbortController();
        const parameters = { name: `${kind}__wait`, arguments: {} };
        upstream.requests.length = 0;
        const running = (client.callTool as (p: unknown, a?: unknown, b?: unknown) => Promise<unknown>).call(
          client,
          parameters,
          ...(client === clients[0] ? [{ signal: abort.signal }] : [undefined, { signal: abort.signal }]),
        );
        running.catch(() => undefined);
        await until("the call to arrive", () =>
          upstream.requests.some(({ body }) => body.includes('"wait"')),
        );
        abort.abort();

        await assert.rejects(running);
        await until(`the ${kind} server to hear of it`, () => upstream.cancelled === cancelled + 1);
      }
  });

  it("forwards resources and prompts under addresses and names of their connectors", async () => {
    for (const client of clients) {
      const { resources } = await client.listResources();
      const { prompts } = await client.listPrompts();
      const uri = "central.sessions:notes://today";
      assert.ok(
        resources.some((resource) => resource.uri === uri),
        JSON.stringify(resources),
      );
      assert.ok(prompts.some(({ name }) => name === "stateless__greet"));

      const read = await client.readResource({ uri });
      const prompt = await client.getPrompt({ name: "stateless__greet", arguments: { name: "Ada" } });

      assert.deepEqual(
        read.contents.map((one) => [one.uri, "text" in one && one.text]),
        [[uri, "a note"]],
      );
      assert.match(JSON.stringify(prompt.messages), /Hello Ada/);
      const linked = await client.callTool({ name: "sessions__link", arguments: {} });
      assert.equal((linked.content as { uri?: string }[])[0]!.uri, uri);
    }
  });

  it("records each call for its user, without arguments and results", async () => {
    const other = await newMember(central.service, central.org, "member");
    const made = await central.connected("stateless", { variables: { "X-Api-Key": secret } }, other);
    const client = await openModernClient(central.service, other.token, "/mcp/central");
    await call(client, "stateless__echo", { text: "a private text" });
    await call(client, "stateless__fail");
    await client.close();

    const rows = await callsOf(other.id);

    assert.deepEqual(
      rows.map(({ connector, kind, name, outcome }) => [connector, kind, name, outcome]),
      [
        ["stateless", "tool", "echo", "ok"],
        ["stateless", "tool", "fail", "tool_error"],
      ],
    );
    assert.ok(!JSON.stringify(rows).includes("private text"));
    const counted = async ({ token }: TestUser) =>
      (
        await central.service.call<McpCentralPayload>("GET", `/api/tenants/${central.org.slug}/mcp-central`, {
          token,
        })
      ).data;
    assert.deepEqual(await counted(other), { enabled: true });
    const { usage } = await counted(central.owner);
    const ofServer = usage!.servers.find(({ serverId }) => serverId === made.serverId)!;
    assert.ok(ofServer.calls >= 2 && ofServer.connectors >= 2);
    assert.ok(!JSON.stringify(usage).includes(other.id));
    assert.ok(!central.logged.join("\n").includes("private text"));
  });

  it("starts another session if the server has forgotten the one of the connector", async () => {
    const upstream = upstreamOf("sessions");
    const [client] = clients;
    await call(client!, "sessions__echo", { text: "1" });
    upstream.forgetSessions();

    assert.deepEqual(await call(client!, "sessions__echo", { text: "2" }), {
      text: "echo 2",
      isError: false,
    });
  });

  it("refuses more calls at once than a connector may have", async () => {
    const abort = new AbortController();
    const client = await openModernClient(central.service, user.token, "/mcp/central");
    const running = Array.from({ length: limits.connectorCallConcurrency }, () =>
      client
        .callTool({ name: "stateless__wait", arguments: {} }, { signal: abort.signal })
        .catch(() => undefined),
    );
    const upstream = upstreamOf("stateless");
    upstream.requests.length = 0;
    await until(
      "the calls to arrive",
      () => upstream.requests.filter(({ body }) => body.includes('"wait"')).length === running.length,
    );

    const refused = await call(client, "stateless__echo", { text: "x" });
    const elsewhere = await call(client, "sessions__echo", { text: "x" });
    abort.abort();
    await Promise.all(running);

    assert.ok(refused.isError);
    assert.match(refused.text, /Too many calls at once/);
    assert.equal(elsewhere.isError, false);
    await client.close();
  });
});
