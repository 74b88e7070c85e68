/** An agent gets access in a real browser, publishes a version that `svc pull` installs, and loses its access. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { openCli } from "../support/cli.ts";
import { callOk } from "../support/mcp/client.ts";
import { startOauthAgent } from "../support/mcp/oauth-agent.ts";
import { publishSkill, newFolder } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { choose, press, tabTo } from "../support/web/keyboard.ts";

describe("access of an agent", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);

  await newFolder(service, org, owner, "release");
  await publishSkill(service, org, owner, { name: "notes", folder: "release", visibility: "private" });
  await service.settled();

  const startAgent = async (t: TestContext, name: string) => {
    const agent = await startOauthAgent(service.url, name);
    t.after(() => agent.close());
    return agent;
  };
  const openSvc = async (t: TestContext) => {
    const home = await mkdtemp(path.join(os.tmpdir(), "svc-agent-"));
    t.after(() => rm(home, { recursive: true, force: true }));
    return openCli({ home, apiUrl: () => service.url, cwd: home });
  };

  it("is given in the browser, publishes what svc pulls elsewhere, and ends when it is revoked", async (t) => {
    const svc = await openSvc(t);
    const skill = `${org.slug}/notes`;
    const installed = path.join(svc.home, ".claude/skills/notes/SKILL.md");
    await svc.json(["login", "--token", owner.token]);
    await svc.json(["install", skill, "-t", "claude", "--project", svc.home]);

    const { page, troubles } = await dashboard.open("/settings/applications", { user: owner });
    await page.getByRole("heading", { name: "No applications yet" }).waitFor();
    await page.getByText(`claude mcp add --transport http svc ${service.url}/mcp`).waitFor();
    await press(page.getByRole("combobox", { name: "Client" }));
    await choose(page, "Cursor");
    await press(page.getByRole("radio", { name: "In the browser" }), "ArrowRight");
    const config = page.getByLabel("Content of ~/.cursor/mcp.json");
    await config.getByText("${env:SVC_TOKEN}").waitFor();
    await assertAccessible(page, "no applications");

    const agent = await startAgent(t, "Release agent");
    await page.goto(agent.consentUrl);
    await page.getByRole("heading", { name: "Give a program access?" }).waitFor();
    await page.getByText("calls itself “Release agent”").first().waitFor();
    await assertAccessible(page, "the consent");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Deny");
    await page.getByRole("radio", { name: "Read", exact: true }).check();
    await page.getByRole("button", { name: "Deny" }).focus();
    await tabTo(page.getByRole("radio", { name: "Read", exact: true }), "Shift+Tab");
    await page.keyboard.press("ArrowDown");
    assert.ok(await page.getByRole("radio", { name: "Read and write" }).isChecked());
    await press(page.getByRole("button", { name: "Allow" }));
    await page.getByRole("heading", { name: "Back in the agent" }).waitFor();

    const client = await agent.connect();
    const found = await callOk<{ skills: { skill: string }[] }>(client, "search_skills", { query: "notes" });
    assert.deepEqual(
      found.data.skills.map((one) => one.skill),
      [skill],
    );
    assert.match((await callOk(client, "read_skill", { skill })).text, /# notes/);
    const content = "# notes\n\nWritten by an agent.\n";
    await callOk(client, "publish_version", { skill, content, base: 1 });
    await service.settled();
    await svc.json(["pull", "--project", svc.home]);
    assert.match(await readFile(installed, "utf8"), /Written by an agent\./);

    await page.goto(`${service.url}/settings/applications`);
    const row = page.getByRole("row", { name: /Release agent/ });
    await row.getByText("Read and write").waitFor();
    await row.getByText("Unverified name. Runs on a computer of yours.").waitFor();
    await assertAccessible(page, "applications");
    await press(row.getByRole("button", { name: "Revoke Release agent" }));
    const dialog = page.getByRole("dialog");
    await assertAccessible(page, "the dialog of a revocation");
    await press(dialog.getByRole("button", { name: "Revoke access" }));
    await page.getByRole("heading", { name: "No applications yet" }).waitFor();
    await assert.rejects(client.listTools());
    assert.deepEqual(troubles, []);
  });

  it("is explained on the page of a skill", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/notes`, { user: owner });
    await page.getByRole("radiogroup", { name: "Install with" }).getByText("MCP").click();
    await page.getByText(`Use the skill ${org.slug}/notes`).waitFor();
    await assertAccessible(page, "a skill for agents");
    await page.getByRole("link", { name: "connected to this service" }).click();
    await page.getByRole("heading", { name: "Connect an agent" }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("is denied by a person, and is told so", async (t) => {
    const agent = await startAgent(t, "Unwanted agent");
    const { page, troubles } = await dashboard.newPage({ user: await service.newUser() });
    await page.goto(agent.consentUrl);
    await page.getByText("You are in no organization").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Back in the agent" }).waitFor();
    assert.equal((await agent.returned()).get("error"), "access_denied");
    assert.deepEqual(troubles, []);
  });

  it("leads a visitor through the sign-in to the consent", async (t) => {
    const agent = await startAgent(t, "Agent");
    const { page } = await dashboard.newPage();
    await page.goto(agent.consentUrl);
    await page.waitForURL("**/sign-in?return_to=*");
    assert.match(decodeURIComponent(page.url()), /return_to=\/oauth\/consent\?request=/);
  });
});
