/** The registry of MCP servers in a real browser: form and preview, installation, required by a skill, deletion. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { newOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { choose, press, tabTo, typeInto } from "../support/web/keyboard.ts";

describe("the pages of MCP servers", { skip: whyNoBrowser() ?? false }, async () => {
  const dashboard = await setUpDashboard();
  const { service } = dashboard;
  await service.newUser();
  const { owner, org } = await newOrganization(service);
  const at = () => `/${org.slug}/-/mcp`;

  await newFolder(service, org, owner, "tools");
  await publishSkill(service, org, owner, { name: "triage", folder: "tools", visibility: "private" });
  await service.settled();

  it("register a server by keyboard, whose secret each member supplies, with a preview of tools' files", async () => {
    const { page, troubles, outside } = await dashboard.open(at(), { user: owner });
    await page.getByRole("heading", { name: "No MCP servers yet" }).waitFor();
    await assertAccessible(page, "no MCP servers");
    await press(page.getByRole("link", { name: "New server" }).first());

    const form = page.getByRole("form", { name: "New MCP server" });
    await typeInto(form.getByRole("textbox", { name: "Name" }), "Issue tracker");
    await typeInto(form.getByRole("textbox", { name: "Address" }), "https://tracker.example.com/mcp");
    const headers = form.getByRole("region", { name: "Headers" });
    const add = headers.getByRole("button", { name: "Add a header" });
    await press(add);
    await page.keyboard.type("X-Unwanted");
    await press(headers.getByRole("button", { name: "Remove X-Unwanted" }));
    assert.equal(await headers.getByRole("textbox").count(), 0);
    await page.keyboard.press("Enter");
    await page.keyboard.type("Authorization");
    await press(headers.getByRole("radio", { name: "Each member" }), "ArrowRight");
    const fixed = headers.getByRole("textbox", { name: "Value" });
    await typeInto(fixed, "Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345");
    await headers.getByText(/^This looks like/).waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Bearer {token}");
    await press(form.getByRole("button", { name: "Add {token}" }));
    assert.equal(await page.evaluate("document.activeElement.value"), "token");
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.getByText('"Authorization": "Bearer <Token>"').waitFor();
    await assertAccessible(page, "the form of an MCP server");
    await press(preview.getByRole("combobox", { name: "Tool" }));
    await choose(page, "Codex");
    await preview.getByText("[mcp_servers.issue-tracker]").waitFor();
    await tabTo(form.getByRole("button", { name: "Register server" }), "Shift+Tab");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { level: 1, name: "Issue tracker" }).waitFor();
    await page.getByText(`svc mcp install ${org.slug}/issue-tracker --target claude --global`).waitFor();
    await page.getByText("No skill requires it.", { exact: false }).waitFor();
    await assertAccessible(page, "an MCP server");
    const { data } = await service.call<McpServerPayload>(
      "GET",
      `/api/tenants/${org.slug}/mcp-servers/issue-tracker`,
      { token: owner.token },
    );
    assert.deepEqual(data.variables, [
      { name: "token", kind: "member", label: "Token", secret: true, required: true },
    ]);
    assert.deepEqual([...troubles, ...outside], []);
  });

  it("show what a skill requires, and change it without a version", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/triage/settings`, { user: owner });
    const form = page.getByRole("form", { name: "MCP servers" });
    await form.getByRole("combobox", { name: "Required MCP servers" }).click();
    await page.getByRole("option", { name: /Issue tracker/ }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await page.goto(`${service.url}/${org.slug}/triage`);
    await page.getByRole("link", { name: "issue-tracker" }).click();
    await page.getByRole("main").getByRole("link", { name: "triage", exact: true }).waitFor();

    await page.goto(`${service.url}/${org.slug}/triage/edit`);
    const picker = page.getByRole("combobox", { name: "Required MCP servers" });
    await picker.waitFor();
    await picker.press("Backspace");
    await page.getByRole("textbox", { name: "SKILL.md" }).click();
    await page.keyboard.type("Once more. ");
    await page.getByRole("button", { name: /^Publish 1/ }).click();
    await page.waitForURL(`**/${org.slug}/triage`);
    await page.getByRole("link", { name: "Versions" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "issue-tracker" }).count(), 0);
    const restored = await service.call("PUT", `/api/skills/${org.slug}~triage`, {
      token: owner.token,
      body: { requiredMcpServers: [{ tenantSlug: org.slug, slug: "issue-tracker" }] },
    });
    assert.equal(restored.status, 200);
    assert.deepEqual(troubles, []);
  });

  it("edit a server as its next revision, and refuse to overwrite a later one", async () => {
    const { page, context } = await dashboard.newPage({ user: owner });
    const follows = context.waitForEvent("response", (response) => response.url().endsWith("/api/events"));
    await page.goto(`${service.url}${at()}/issue-tracker/edit`);
    await follows;
    const form = page.getByRole("form", { name: "MCP server" });
    await form.getByRole("textbox", { name: "Description", exact: true }).first().fill("Finds issues.");
    const changed = await service.call("PATCH", `/api/tenants/${org.slug}/mcp-servers/issue-tracker`, {
      token: owner.token,
      body: { name: "Tracker" },
    });
    assert.equal(changed.status, 200);
    await page.getByText(/^Someone has saved revision 2/).waitFor();
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText(/was changed concurrently/).waitFor();
    await page.goto(`${service.url}${at()}`);
    await press(page.getByRole("link", { name: "Tracker" }));
    await press(page.getByRole("link", { name: "Edit" }));
    await typeInto(form.getByRole("textbox", { name: "Description", exact: true }).first(), "Finds issues.");
    await press(form.getByRole("button", { name: "Save" }));
    await page.getByText("Finds issues.").waitFor();
  });

  it("name the skills that lose a server before it is deleted, and offer it only to those who may", async () => {
    const member = await newMember(service, org, "member");
    const reader = await dashboard.open(`${at()}/issue-tracker`, { user: member });
    await reader.page.getByRole("heading", { level: 1, name: "Tracker" }).waitFor();
    for (const name of ["Delete server", "Edit"])
      assert.equal(await reader.page.getByRole("button", { name }).count(), 0);

    const { page, troubles } = await dashboard.open(`${at()}/issue-tracker`, { user: owner });
    await press(page.getByRole("button", { name: "Delete server" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 skill requires it, and will no longer:").waitFor();
    await dialog.getByText("triage", { exact: true }).waitFor();
    await assertAccessible(page, "the deletion of an MCP server");
    await typeInto(dialog.getByRole("textbox"), "issue-tracker");
    await press(dialog.getByRole("button", { name: "Delete server" }));
    await page.getByRole("heading", { name: "No MCP servers yet" }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("import a server of the catalog, and take over a version that is only offered", async () => {
    const version = (name: string, number: string, url: string) => ({
      _id: `${name}@${number}`,
      name,
      version: number,
      title: "Weather",
      description: "Forecasts",
      entry: {
        config: { transport: "http" as const, url, args: [], env: [], headers: [], variables: [] },
        origin: `http ${new URL(url).host}`,
      },
      latest: true as const,
      terms: ["io", "example", "weather", "forecasts"],
      updatedAt: new Date(),
    });
    const { mcpCatalog } = service.app.storage;
    await mcpCatalog.put(version("io.example/weather", "1.0.0", "https://weather.example.com/mcp"));
    const { page, troubles } = await dashboard.open(at(), { user: owner });
    await press(page.getByRole("button", { name: "Import" }));
    await typeInto(page.getByRole("dialog").getByRole("textbox", { name: "Find a server" }), "forecast");
    await page.getByText("https://weather.example.com/mcp").waitFor();
    await assertAccessible(page, "the import of an MCP server");
    await press(page.getByRole("button", { name: "Import io.example/weather" }));
    const form = page.getByRole("form", { name: "Import io.example/weather" });
    await typeInto(form.getByRole("textbox", { name: "Slug" }), "forecast");
    await form.getByRole("combobox", { name: "Folder" }).click();
    await page.getByRole("option", { name: "tools" }).click();
    await assertAccessible(page, "the form of an import");
    await press(form.getByRole("button", { name: "Import server" }));
    await page.getByRole("heading", { level: 1, name: "Weather" }).waitFor();
    await page.waitForURL("**/mcp/forecast");
    const facts = page.getByRole("complementary", { name: "About this server" });
    await facts.getByRole("link", { name: "tools", exact: true }).waitFor();
    await facts.getByText(`svc mcp install ${org.slug}/forecast --via central`).waitFor();
    await mcpCatalog.put(version("io.example/weather", "2.0.0", "https://other.example.com/mcp"));
    await page.reload();
    await page.getByText("The catalog has version 2.0.0. Taking it over changes url.").waitFor();
    await page.getByRole("button", { name: "Review version 2.0.0" }).click();
    const change = page.getByRole("dialog").getByRole("row", { name: "Address" });
    assert.equal(
      (await change.innerText()).replaceAll(/\s+/g, " "),
      "Address https://weather.example.com/mcp https://other.example.com/mcp",
    );
    await assertAccessible(page, "a later version of the catalog");
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByText("https://other.example.com/mcp").first().waitFor();
    assert.deepEqual(troubles, []);
  });

  it("offer no form to those who may only read a server of a restricted folder", async () => {
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Servers", permissions: { skill: ["read"], mcpServer: ["read", "update"] } },
    });
    assert.equal(role.status, 201, JSON.stringify(role.body));
    const viewer = await newMember(service, org, role.data.id);
    const vault = await newFolder(service, org, owner, "vault");
    await restrict(service, owner, vault.id, [{ type: "member", id: viewer.id, level: "viewer" }]);
    const made = await service.call("POST", `/api/tenants/${org.slug}/mcp-servers`, {
      token: owner.token,
      body: { name: "Vault", transport: "http", url: "https://vault.example.com/mcp", folderId: vault.id },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));

    const { page } = await dashboard.open(`${at()}/vault/edit`, { user: viewer });
    await page.getByRole("heading", { level: 1, name: "You can't edit Vault" }).waitFor();
    assert.equal(await page.getByRole("form").count(), 0);
  });
});
