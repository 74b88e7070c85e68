/** Pages for operators in a browser: checks of the service, a restore, agents, keys for assertions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import { advanceEpoch } from "../../src/epoch/epoch.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { newProvider } from "../support/sso/fixture.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the operation of a service", { skip: whyNoBrowser() ?? false }, async () => {
  const { service } = await setUpService({ oauth: { clientDocuments: false, privateNetwork: false } });
  const dashboard = await setUpDashboard(service);
  const admin = await service.newUser("chief");

  it("shows what the service depends on, each with its state", async () => {
    const { page, troubles, outside } = await dashboard.open("/admin/health", { user: admin });
    const rows = page.getByRole("list", { name: "Checks" }).getByRole("listitem");
    await rows.first().waitFor();

    const texts = await rows.allInnerTexts();
    const expected = [
      /^Database\s*OK\s*MongoDB \S+, /,
      /^Queue\s*OK\s*(Redis|embedded)/,
      /^Git\s*OK\s*git \d/,
      /^Outbound requests\s*OK\s*Not checked: OAUTH_CLIENT_DOCUMENTS is false$/,
      /^Restore\s*OK\s*The database and the Git root belong together\.$/,
      /^Disk of the data\s*(OK|Problem)\s*\S+ \S+ free of/,
      /^Disk of the repositories\s*(OK|Problem)\s*\S+ \S+ free of/,
    ];
    assert.equal(texts.length, expected.length, texts.join("\n"));
    for (const [index, text] of texts.entries()) assert.match(text, expected[index]!);
    assert.equal(await page.getByRole("button", { name: "Confirm restore" }).count(), 0);
    await assertAccessible(page, "health");
    assert.deepEqual([...troubles, ...outside], []);
  });

  it("shows on the overview what administrators were told by mail", async () => {
    const { operatorConditions } = service.app.storage;
    const at = service.app.now();
    for (const [condition, text] of [
      ["audit-forwarding", "2 receivers of audit logs have failed for an hour."],
      ["job-failed mail.account", "The queues on the page tell about it."],
    ] as const)
      await operatorConditions.apply(condition, text, { id: service.app.newId(), at }, at);
    const { page, troubles } = await dashboard.open("/admin", { user: admin });
    const attention = page.getByRole("region", { name: "Needs attention" });

    await attention.getByText("2 receivers of audit logs have failed for an hour.").waitFor();
    assert.equal(await attention.getByText("The queues on the page").count(), 0);
    await assertAccessible(page, "overview");
    assert.deepEqual(troubles, []);
    for (const condition of await operatorConditions.listApplying(10))
      await operatorConditions.end(condition, { id: service.app.newId(), at });
  });

  it("confirms a restore with a reason, and shows nothing to confirm afterwards", async () => {
    await advanceEpoch(service.app);
    const root = (await service.app.repos.readEpoch())!;
    await service.app.repos.writeEpoch({ ...root, number: root.number + 100 });
    const { page, troubles } = await dashboard.open("/admin/health", { user: admin });
    const row = page
      .getByRole("list", { name: "Checks" })
      .getByRole("listitem")
      .filter({ hasText: "Restore" });
    await row.getByText("The database is older than the Git root").waitFor();
    await row.getByText("Problem", { exact: true }).waitFor();
    await assertAccessible(page, "a restore to confirm");

    await page.getByRole("button", { name: "Confirm restore" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm restore" });
    await dialog.getByText("Confirm only if the database and the Git root are the right ones.").waitFor();
    await assertAccessible(page, "the confirmation of a restore");
    await dialog.getByRole("button", { name: "Confirm restore" }).click();
    assert.equal(await dialog.count(), 1, "a reason is required");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The backup of Monday");
    await dialog.getByRole("button", { name: "Confirm restore" }).click();

    await row.getByText("The database and the Git root belong together.").waitFor();
    await page.getByRole("button", { name: "Confirm restore" }).waitFor({ state: "detached" });
    const { data } = await service.call<AuditLogPayload>("GET", "/api/admin/audit-log?limit=1", admin);
    const [entry] = data.entries;
    assert.deepEqual(
      [entry?.action, entry?.actor.name, entry?.metadata],
      ["service.restore_confirmed", "chief", { mismatch: "database_older", reason: "The backup of Monday" }],
    );
    assert.deepEqual(troubles, []);
  });

  it("decides whether agents connect without a sign-in, from the next request on", async () => {
    const connect = () =>
      service.raw("POST", "/mcp", { body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} } });
    assert.equal((await connect()).status, 200);
    const { page, troubles } = await dashboard.open("/admin/settings", { user: admin });
    const group = page.getByRole("radiogroup", { name: "Agents without a sign-in" });
    await group.getByRole("radio", { name: "Always", checked: true }).waitFor();
    await assertAccessible(page, "settings");

    await group.getByRole("radio", { name: "Never" }).click();
    const dialog = page.getByRole("dialog", { name: "Agents without a sign-in: never" });
    await dialog.getByText("From now on, agents need a sign-in, for public skills too.").waitFor();
    await assertAccessible(page, "agents without a sign-in");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("All of our people have accounts");
    await dialog.getByRole("button", { name: "Change" }).click();
    await group.getByRole("radio", { name: "Never", checked: true }).waitFor();

    const refused = await connect();
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer resource_metadata="/);
    await page.reload();
    await group.getByRole("radio", { name: "Never", checked: true }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("adds, replaces and removes keys for encrypted assertions", async () => {
    const { owner, org } = await newOrganization(service);
    const { id } = await newProvider(service, org, owner);
    const stored = async () => {
      const { encryption } = (await service.app.storage.ssoProviders.find(org.id, id))!;
      return [encryption?.current, encryption?.previous].filter(Boolean).length;
    };
    const { page, troubles, outside } = await dashboard.open(`/${org.slug}/-/sso?provider=${id}`, {
      user: owner,
    });
    const panel = page.getByRole("region", { name: "Encrypted assertions" });
    await panel.getByText("Add a key if the identity provider encrypts assertions.").waitFor();
    await assertAccessible(page, "no key for assertions", panel);

    await panel.getByRole("button", { name: "Add key" }).click();
    await panel.getByText(/^Current key, added/).waitFor();
    assert.equal(await stored(), 1);
    const metadata = await (await service.raw("GET", `/sso/${id}/metadata`)).text();
    assert.match(metadata, /use="encryption"/);
    await panel.getByRole("button", { name: "Replace key" }).click();
    await panel.getByText(/^Previous key, which still decrypts, added/).waitFor();
    assert.equal(await panel.getByRole("button", { name: "Replace key" }).count(), 0);
    await assertAccessible(page, "keys for assertions", panel);

    const remove = panel.getByRole("button", { name: "Remove previous key" });
    await page.setViewportSize({ width: 360, height: 900 });
    const { x, width } = (await remove.boundingBox())!;
    assert.ok(x + width <= 360, "the button is beside the narrow page");
    await page.setViewportSize({ width: 1440, height: 900 });
    await remove.click();
    const dialog = page.getByRole("dialog", { name: "Remove previous key" });
    await dialog.getByText(/encrypted for this key are refused from now on/).waitFor();
    await assertAccessible(page, "the removal of a key for assertions");
    await dialog.getByRole("button", { name: "Remove key" }).click();
    await panel.getByText(/^Previous key/).waitFor({ state: "detached" });
    assert.equal(await stored(), 1);
    assert.deepEqual([...troubles, ...outside], []);
  });
});
