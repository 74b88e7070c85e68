/** The pages of hosted connectors in a real browser, with servers and a provider on this machine. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { mcpTargets } from "../../contract/vocabulary.ts";
import { globalFiles, type Installed } from "../cli-mcp/fixture.ts";
import { dataOf } from "../cli/fixture.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { protect, startAuthorizationServer } from "../connectors/authorization-server.ts";
import { setUpConnectors } from "../connectors/fixture.ts";
import { startUpstream } from "../connectors/upstream.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { openModernClient } from "../support/mcp/client.ts";
import { newMember } from "../support/organization.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { choose, press, tabTo, typeInto } from "../support/web/keyboard.ts";

const secret = "sk-very-secret-0123456789";

describe("the page of hosted connectors", { skip: whyNoBrowser() ?? false }, async () => {
  const central = await setUpConnectors();
  const dashboard = await setUpDashboard(central.service);

  const [upstream, guarded, authorization] = await Promise.all([
    startUpstream(),
    startUpstream(),
    startAuthorizationServer(),
  ]);
  protect(guarded, authorization);
  await central.register("issues", upstream.url, {
    name: "Issue tracker",
    headers: [{ name: "X-Api-Key", kind: "member", label: "API key", secret: true, required: true }],
  });
  await central.register("notes", guarded.url, { name: "Team notes" });

  after(() => Promise.all([upstream.close(), guarded.close(), authorization.close()]));

  it("connects to a server by keyboard, with the secret of its user, and disconnects", async () => {
    const user = await newMember(central.service, central.org, "member");
    const { page, troubles, outside } = await dashboard.open("/settings/connectors", { user });
    await page.getByText("No connectors yet").waitFor();
    await assertAccessible(page, "no connectors");

    await press(page.getByRole("button", { name: "New connector" }));
    await press(page.getByRole("dialog").getByRole("combobox", { name: "Server" }));
    await choose(page, /Issue tracker/);
    await press(page.getByRole("button", { name: "Continue" }));
    const dialog = page.getByRole("dialog", { name: "Connect Issue tracker" });
    await dialog.getByText(upstream.url, { exact: true }).waitFor();
    await assertAccessible(page, "the dialog of a connector");
    await typeInto(dialog.getByLabel("API key"), secret);
    await page.keyboard.press("Enter");
    const connectors = page.getByRole("region", { name: "Your connectors" });
    await connectors.getByText("Connected", { exact: true }).waitFor();
    assert.equal(upstream.requests.at(-1)!.headers["x-api-key"], secret);
    assert.ok(!(await page.content()).includes(secret));

    const agent = await openModernClient(central.service, user.token, "/mcp/central");
    await agent.callTool({ name: "issues__echo", arguments: { text: "hi" } });
    await agent.callTool({ name: "issues__fail", arguments: {} });
    await agent.close();
    await central.service.settled();
    await page.reload();
    const calls = page.getByRole("table", { name: /Calls through your connectors/ });
    await calls.getByRole("row", { name: /echo of issues OK/ }).waitFor();
    await calls.getByRole("row", { name: /fail of issues Error of the tool/ }).waitFor();
    await assertAccessible(page, "a connector with calls");

    await press(page.getByRole("button", { name: "Actions for Issue tracker" }));
    await tabTo(page.getByRole("menuitem", { name: "Disconnect" }), "ArrowDown");
    await page.keyboard.press("Enter");
    await press(page.getByRole("dialog").getByRole("button", { name: "Disconnect" }));
    await page.getByText("No connectors yet").waitFor();
    assert.deepEqual([...troubles, ...outside], []);
  });

  it("leads to the provider of a server and back, and shows who needs to authorize again", async () => {
    const user = await newMember(central.service, central.org, "member");
    const { data } = await central.create("notes", user);
    const { page } = await dashboard.open(
      new URL(data.connectUrl).pathname + new URL(data.connectUrl).search,
      {
        user,
      },
    );

    await page.getByRole("dialog").getByRole("button", { name: "Connect" }).click();
    await page.getByText("Team notes is connected.").waitFor();
    assert.equal((await central.read(data.id, user)).connectionStatus, "connected");
    assert.ok(!/code=|state=/.test(page.url()));

    await central.service.app.storage.connectors.noteUnauthorized(
      (await central.service.app.storage.connectors.find(data.id))!,
      new Date(),
    );
    await page.goto(`${central.service.url}/settings/connectors`);
    await page.getByText("Needs you", { exact: true }).waitFor();
    await assertAccessible(page, "a connector that needs its user");
    await page.goto(`${central.service.url}/settings/connectors?result=expired`);
    await page.getByText(/was started in another browser/).waitFor();
  });

  it("shows the whole address, and marks in texts that change the order of others", async () => {
    const marked = await central.register("marked", "https://gateway.example.com/\u200ftenant/{PLACE}", {
      name: "Marked\u200f server",
      variables: [
        { name: "PLACE", kind: "member", label: "Place\u200f", secret: false, required: true },
        {
          name: "KEY",
          kind: "member",
          label: "Key",
          description: "of\u200f you",
          secret: true,
          required: true,
        },
      ],
      headers: [{ name: "X-Key", kind: "fixed", value: "{KEY}" }],
    });
    const { data } = await central.create("marked", central.owner);
    const { pathname, search } = new URL(data.connectUrl);
    const { page } = await dashboard.open(pathname + search, { user: central.owner });

    const dialog = page.getByRole("dialog", { name: "Connect Marked⟨U+200F⟩ server" });
    await dialog.getByText("https://gateway.example.com/⟨U+200F⟩tenant/{PLACE}", { exact: true }).waitFor();
    await dialog.getByLabel("Place⟨U+200F⟩").waitFor();
    await dialog.getByText("of⟨U+200F⟩ you").waitFor();
    await assertAccessible(page, "a long address in the dialog of a connector");
    await dialog.getByLabel("Place⟨U+200F⟩").fill("a");
    await dialog.getByLabel("Key").fill(secret);
    // The page reads the list every 15 seconds; the dialog would show the new address before it is used.
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(
      ({ pathname: path }) => path === "/api/user/connectors",
      async (route) => {
        await released;
        await route.continue();
      },
    );
    const change = { body: { url: "https://gateway.example.com/other/{PLACE}" }, token: central.owner.token };
    await central.service.call(
      "PATCH",
      `/api/tenants/${central.org.slug}/mcp-servers/${marked.slug}`,
      change,
    );
    const answered = page.waitForResponse((response) => response.url().endsWith("/connect"));
    await dialog.getByRole("button", { name: "Connect" }).click();
    await answered;
    release();
    await dialog.getByText(/address is now https:\/\/gateway\.example\.com\/other\/\{PLACE\}/).waitFor();
    await dialog.getByText(change.body.url, { exact: true }).waitFor();
    await central.service.call("DELETE", `/api/user/connectors/${data.id}`, { token: central.owner.token });
  });

  it("shows that the organization has turned connectors off", async () => {
    const { owner, org } = central;
    await central.create("notes", owner);
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/settings`, { user: owner });
    const section = page.getByRole("region", { name: "Hosted connectors" });
    await section.getByText("1 server").waitFor();

    await section.getByRole("switch").click();
    await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await assertAccessible(page, "connectors turned off");

    assert.equal((await central.list(owner))[0]!.connectionStatus, "disabled");
    await page.goto(`${central.service.url}/settings/connectors`);
    await page.getByText("Off", { exact: true }).waitFor();
    await page.goto(`${central.service.url}/${org.slug}/-/settings`);
    await section.getByRole("switch").click();
    await section.getByRole("switch", { checked: true }).waitFor();
    assert.equal((await central.list(owner))[0]!.connectionStatus, "pending");
    assert.deepEqual(troubles, []);
  });

  it("lets a member use a server in seven tools and through the proxy, until access ends", async (t) => {
    const { service, org, owner } = central;
    await central.register("tracker", guarded.url, {
      name: "Bug tracker",
      headers: [{ name: "X-Api-Key", kind: "member", label: "API key", secret: true, required: true }],
    });
    const user = await newMember(service, org, "member");
    const [home, project] = await Promise.all([temporaryFolder(t), temporaryFolder(t)]);
    const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };
    const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, cwd: project, env });
    const listed = async () =>
      dataOf<{ slug: string; central?: object }[]>(await run("mcp", "list")).find(
        ({ slug }) => slug === "tracker",
      )!.central;
    const agent = await openModernClient(service, user.token, "/mcp/central");
    // The client of the library keeps lists for some seconds.
    const names = async () =>
      (await central.post("tools/list", {}, user.token)).body.result!.tools!.map(({ name }) => name);
    const echo = () => agent.callTool({ name: "tracker__echo", arguments: { text: "hi" } });
    const forwarded = [{ type: "text", text: "echo hi" }];

    const install = ["mcp", "install", `${org.slug}/tracker`];
    const local = [...install, "--via", "local", "--var", `X-Api-Key=${secret}`, "-t"];
    const tools = Object.keys(globalFiles).join();
    const global = dataOf<Installed>(await run(...local, tools, "-g"));
    const shared = dataOf<Installed>(await run(...local, "copilot", "-p"));
    const written = await Promise.all(
      [...global.installed, ...shared.installed].map(async ({ platform, path }) => {
        const text = await readFile(path, "utf8");
        return `${platform} ${text.includes(guarded.url)} ${text.includes(secret)}`;
      }),
    );
    assert.deepEqual(
      new Set(written),
      new Set(mcpTargets.map((tool) => `${tool} true ${tool !== "copilot"}`)),
      "the file of copilot is shared by a project, so it asks for the secret",
    );

    const hosted = dataOf<{ connectUrl: string }>(await run(...install, "--via", "central", "-t", "claude"));
    const { pathname, search } = new URL(hosted.connectUrl);
    const { page, troubles } = await dashboard.open(pathname + search, { user });
    const connect = async (values: Record<string, string>) => {
      const dialog = page.getByRole("dialog");
      for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
      await dialog.getByRole("button", { name: "Connect" }).click();
      await page.getByText("Bug tracker is connected.").waitFor();
    };
    await connect({ "API key": secret });
    assert.deepEqual(await listed(), { connectionStatus: "connected", needsReconnect: false });
    assert.ok((await names()).includes("tracker__echo"));
    guarded.requests.length = 0;
    assert.deepEqual((await echo()).content, forwarded);
    for (const { headers } of guarded.requests) {
      assert.equal(headers["x-api-key"], secret);
      assert.ok(!JSON.stringify(headers).includes(user.token));
    }

    const renewals = () =>
      authorization.requests.filter(({ body }) => body.includes("=refresh_token")).length;
    const earlier = renewals();
    authorization.expireAccessTokens();
    assert.deepEqual((await echo()).content, forwarded);
    assert.equal(renewals(), earlier + 1);

    await authorization.revokeAll();
    const refused = await echo();
    const [connector] = await central.list(user);
    assert.equal(refused.isError, true);
    assert.ok(JSON.stringify(refused.content).includes(connector!.connectUrl));
    assert.deepEqual(await names(), ["central__status"]);
    const lost = { connectionStatus: "needs_auth", needsReconnect: true };
    assert.deepEqual(await listed(), lost);
    assert.equal(connector!.connectionStatus, "needs_auth");
    await page.goto(`${service.url}/settings/connectors`);
    await page.getByText("Needs you", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Connect again" }).click();
    await connect({});
    assert.deepEqual((await echo()).content, forwarded);

    const off = await service.call("PUT", `/api/tenants/${org.slug}/mcp-central`, {
      token: owner.token,
      body: { enabled: false },
    });
    assert.equal(off.status, 200, off.error);
    guarded.requests.length = 0;
    assert.match(JSON.stringify((await echo()).content), /turned hosted connectors off/);
    assert.deepEqual(await names(), ["central__status"]);
    assert.deepEqual(await listed(), { connectionStatus: "disabled", needsReconnect: false });
    assert.equal((await central.connect(connector!.id, {}, user)).code, "refused");
    await page.reload();
    await page.getByText("Off", { exact: true }).waitFor();
    assert.deepEqual(guarded.requests, []);
    assert.ok(![...central.logged, await page.content()].join("\n").includes(secret));
    assert.deepEqual(troubles, []);
    await agent.close();
  });
});
