/** Access tokens of OAuth clients at the endpoint of the MCP server, over HTTP from the consent on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { password, setUpAccount, signUp, type AccountsService } from "../support/accounts-app.ts";
import { callOk, callTool, openModernClient } from "../support/mcp/client.ts";
import {
  connect,
  decide,
  errorOf,
  newClient,
  newOrganization,
  newPkce,
  obtainCode,
  openConsent,
  requestOf,
} from "./fixture.ts";

describe("an OAuth client at /mcp", () => {
  let service: AccountsService;
  let cookie: string;
  setUpAccount((made) => ({ service, cookie } = made));

  const toolsOf = async (token: string) => {
    const client = await openModernClient(service, token);
    const { tools } = await client.listTools();
    await client.close();
    return tools;
  };
  const list = (token: string) =>
    service.call("POST", "/mcp", {
      token,
      json: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      headers: { accept: "application/json, text/event-stream" },
    });

  it("is offered the tools of its access", async () => {
    const tenantIds = [await newOrganization(service, cookie, "acme")];
    const reader = await connect(service, cookie, { access: "read", tenantIds });
    const writer = await connect(service, cookie, { access: "write", tenantIds });

    const reading = await toolsOf(reader.tokens.access_token);
    const writing = await toolsOf(writer.tokens.access_token);

    assert.ok(reading.some(({ name }) => name === "search_skills"));
    assert.deepEqual(
      reading.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
      [],
    );
    assert.ok(writing.some(({ annotations }) => annotations?.readOnlyHint === false));
    assert.ok(reading.every(({ name }) => writing.some((one) => one.name === name)));
  });

  it("knows the MCP servers of its organizations, so that skills can require them", async () => {
    const tenantId = await newOrganization(service, cookie, "required");
    const server = {
      name: "Tracker",
      slug: "tracker",
      transport: "http",
      url: "https://tracker.example.com/mcp",
    };
    const made = await service.call("POST", "/api/tenants/required/mcp-servers", { cookie, json: server });
    assert.equal(made.status, 201, made.text);
    const { tokens } = await connect(service, cookie, { access: "write", tenantIds: [tenantId] });
    const client = await openModernClient(service, tokens.access_token);
    const publish = {
      organization: "required",
      name: "Track",
      content: "# Track",
      visibility: "private",
      dryRun: true,
    };
    const requiring = (slug: string) => ({
      ...publish,
      requiredMcpServers: [{ tenantSlug: "required", slug }],
    });

    const planned = await callOk<{ action: string }>(client, "publish_skill", requiring("tracker"));
    const unknown = await callTool(client, "publish_skill", requiring("other"));

    assert.equal(planned.data.action, "created");
    assert.equal(unknown.error?.code, "not_found");
    await client.close();
  });

  it("is led to the authorization server once its access was revoked", async () => {
    const { tokens } = await connect(service, cookie);
    assert.equal((await list(tokens.access_token)).status, 200);
    const [grant] = (await service.call("GET", "/api/user/grants", { cookie })).body.data as object as {
      id: string;
    }[];

    const revoked = await service.call("DELETE", `/api/user/grants/${grant!.id}`, { cookie });

    assert.equal(revoked.status, 200, revoked.text);
    const refused = await list(tokens.access_token);
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get("www-authenticate"),
      `Bearer error="invalid_token", resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  it("reaches nothing of an organization that awaits erasure, and can't be given access to it", async () => {
    const tenantId = await newOrganization(service, cookie, "doomed");
    const { tokens, renew } = await connect(service, cookie, { access: "write", tenantIds: [tenantId] });
    const callByHand = async (name: string, input: object) => {
      const answer = await service.call("POST", "/mcp", {
        token: tokens.access_token,
        json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
        headers: { accept: "application/json, text/event-stream" },
      });
      return answer.body as object as { result: { isError?: boolean; content: { text: string }[] } };
    };
    const folders = () => callByHand("list_folders", { organization: "doomed" });
    const made = await service.call("POST", "/api/tenants/doomed/folders", {
      cookie,
      json: { path: "reports" },
    });
    assert.equal(made.status, 201, made.text);
    assert.match(JSON.stringify(await folders()), /reports/);
    assert.match(JSON.stringify(await callByHand("whoami", {})), /doomed/);

    assert.equal((await service.call("DELETE", "/api/tenants/doomed", { cookie })).status, 200);

    assert.doesNotMatch(JSON.stringify(await folders()), /reports/);
    const published = await callByHand("publish_skill", {
      organization: "doomed",
      name: "Notes",
      content: "# Notes",
    });
    assert.match(published.result.content[1]!.text, /"code":"(not_found|conflict|forbidden)"/);
    assert.doesNotMatch(JSON.stringify(await callByHand("whoami", {})), /doomed/);
    assert.equal(
      (await renew(tokens.refresh_token)).status,
      200,
      "the access to the endpoint itself goes on",
    );
    await assert.rejects(connect(service, cookie, { tenantIds: [tenantId] }));
  });

  it("loses everything with a suspended or deleted account, and gets nothing back with the account", async () => {
    const admin = (id: string, act: string) =>
      service.call("POST", `/api/admin/users/${id}/${act}`, { cookie, json: { reason: "spam" } });
    const ends = {
      suspended: ({ id }: { id: string }) => admin(id, "suspend"),
      deleted: (person: { cookie: string }) =>
        service.call("DELETE", "/api/user/account", { cookie: person.cookie, json: { password } }),
    };
    for (const [state, end] of Object.entries(ends)) {
      const person = await signUp(service, `${state}-person`);
      const request = requestOf(service, await newClient(service), newPkce());
      const { tokens, renew } = await connect(service, person.cookie);
      const pending = await obtainCode(service, person.cookie);
      const { id: undecided } = await openConsent(service, person.cookie, request);
      const assertClosed = async () => {
        const authorize = `/oauth/authorize?${new URLSearchParams(request).toString()}`;
        for (const answer of [
          await service.call("GET", authorize, { cookie: person.cookie }),
          await service.call("GET", `/oauth/consent?request=${undecided}`, { cookie: person.cookie }),
          await decide(service, person.cookie, undecided),
          await decide(service, person.cookie, undecided, { decision: "deny" }),
        ]) {
          assert.equal(answer.status, 303, `${state}: ${answer.text}`);
          assert.match(answer.headers.get("location")!, /^\/sign-in\?return_to=/);
        }
        assert.equal(errorOf(await pending.exchange()), "invalid_grant");
        assert.equal(errorOf(await renew(tokens.refresh_token)), "invalid_grant");
        const grants = await service.call("GET", "/api/user/grants", { cookie: person.cookie });
        assert.equal(grants.status, 401);
      };

      assert.equal((await end(person)).status, 200, state);
      await assertClosed();
      const refused = await list(tokens.access_token);
      assert.equal(refused.status, state === "suspended" ? 403 : 401, refused.text);
      if (state === "deleted") continue;
      assert.match(refused.text, /"code":"forbidden"/);
      assert.equal((await admin(person.id, "unsuspend")).status, 200);
      await assertClosed();
      assert.equal((await list(tokens.access_token)).status, 401);
    }
  });
});
