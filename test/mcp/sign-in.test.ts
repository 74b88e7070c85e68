/** How the server of an installation leads programs to a sign-in, with the clients of both SDKs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { UnauthorizedError as LegacyUnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { callOk, openClients } from "../support/mcp/client.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { callOf, list, sendByHand } from "./by-hand.ts";

const info = { name: "agent", version: "1" };

describe("an agent without a sign-in", async () => {
  const { service, owner, org } = await setUpOrganization({ anonymousMcp: "auto" });
  const { id } = await publishSkill(service, org, owner, { name: "Notes" });
  const skill = `${org.slug}/notes`;

  const setVisibility = async (visibility: string) => {
    const path = `/api/skills/${id}`;
    const changed = await service.call("PUT", path, { token: owner.token, body: { visibility } });
    assert.equal(changed.status, 200, changed.error);
  };
  const setMode = async (anonymousMcp: string) => {
    const body = { anonymousMcp, reason: "a test" };
    const changed = await service.call("PATCH", "/api/admin/settings", { cookie: owner.cookie, body });
    assert.equal(changed.status, 200, changed.error);
  };
  const challenge = () =>
    `Bearer resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`;

  /** A provider that only notes where its user would be sent. */
  function newProvider(): OAuthClientProvider & { opened: string[] } {
    const kept = new Map<string, unknown>();
    const opened: string[] = [];
    return {
      opened,
      redirectUrl: "http://127.0.0.1:4711/callback",
      clientMetadata: { client_name: "Agent", redirect_uris: ["http://127.0.0.1:4711/callback"] },
      clientInformation: () => kept.get("client") as never,
      saveClientInformation: (client) => void kept.set("client", client),
      tokens: () => undefined,
      saveTokens: () => undefined,
      redirectToAuthorization: (url) => void opened.push(url.pathname),
      saveCodeVerifier: () => undefined,
      codeVerifier: () => "",
    };
  }

  /** Connects with a client of each SDK, and returns what happened. */
  async function connect(): Promise<
    { offered: boolean; client: Client | LegacyClient; isRefused: boolean }[]
  > {
    const url = new URL("/mcp", service.url);
    const results = [];
    for (const [client, open] of [
      [
        new Client(info, { versionNegotiation: { mode: "auto" } }),
        (authProvider: OAuthClientProvider) => new StreamableHTTPClientTransport(url, { authProvider }),
      ],
      [
        new LegacyClient(info),
        (authProvider: OAuthClientProvider) => new LegacyTransport(url, { authProvider }) as never,
      ],
    ] as [Client | LegacyClient, (provider: OAuthClientProvider) => never][]) {
      const provider = newProvider();
      let isRefused = false;
      try {
        await client.connect(open(provider));
      } catch (error) {
        assert.ok(
          error instanceof UnauthorizedError || error instanceof LegacyUnauthorizedError,
          String(error),
        );
        isRefused = true;
      }
      results.push({ client, isRefused, offered: provider.opened.includes("/oauth/authorize") });
    }
    return results;
  }

  it("is asked for one when it connects, while the service has no public skill", async () => {
    for (const { isRefused, offered } of await connect())
      assert.deepEqual([isRefused, offered], [true, true]);
    for (const body of [list, callOf("search_skills", {})]) {
      const answer = await sendByHand(service, "/mcp", {}, body);
      assert.equal(answer.status, 401);
      assert.equal(answer.headers["www-authenticate"], challenge());
      assert.match(
        answer.body.error!.message,
        /requires a sign-in: authenticate this server in your program/,
      );
    }
  });

  it("reads public skills once there is one, and is told how to sign in", async () => {
    await setVisibility("public");

    for (const { client, isRefused, offered } of await connect()) {
      assert.deepEqual([isRefused, offered], [false, false]);
      assert.match(client.getInstructions()!, /not signed in[^]*call whoami/);
      const { data } = await callOk<{ text: string }>(client, "read_skill", { skill });
      assert.match(JSON.stringify(data), /# Notes/);
      await assert.rejects(client.callTool({ name: "whoami", arguments: {} }), /Unauthorized/i);
      await client.close();
    }
  });

  it("gets text with the challenge of a tool that acts for a person", async () => {
    const answer = await sendByHand(service, "/mcp", {}, callOf("whoami", {}));

    assert.equal(answer.status, 401);
    assert.equal(answer.headers["www-authenticate"], challenge());
    const { id: answered, result } = answer.body as {
      id?: number;
      result?: { isError: boolean; content: { text: string }[] };
    };
    assert.deepEqual([answered, result!.isError], [1, true]);
    assert.match(result!.content[0]!.text, /"whoami" requires a sign-in/);
    const stale = await sendByHand(service, "/mcp", { authorization: "Bearer stale" }, list);
    assert.match(
      String(stale.headers["www-authenticate"]),
      /^Bearer error="invalid_token", resource_metadata=/,
    );
  });

  it("is served as an administrator of the service decides, in the log of the service", async () => {
    await setMode("off");
    for (const { isRefused, offered } of await connect())
      assert.deepEqual([isRefused, offered], [true, true]);
    for (const [, client] of await openClients(service, owner.token)) {
      await callOk(client, "read_skill", { skill });
      await client.close();
    }

    await setVisibility("private");
    await setMode("on");
    for (const { client, isRefused } of await connect()) {
      assert.equal(isRefused, false);
      await client.close();
    }
    const log = await service.call<{ entries: { action: string; metadata: object }[] }>(
      "GET",
      "/api/admin/audit-log?action=service.anonymous_mcp_changed",
      { cookie: owner.cookie },
    );
    assert.deepEqual(
      log.data.entries.map(({ metadata }) => metadata),
      [
        { before: "off", after: "on", reason: "a test" },
        { before: "auto", after: "off", reason: "a test" },
      ],
    );
  });
});
