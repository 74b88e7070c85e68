/** The audit log of an organization in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();
const hostile = "<img src=x onerror=alert(1)>";

describe("the audit log", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const member = await newMember(service, org, "member");
  await newFolder(service, org, owner, "engineering/release");
  for (const name of ["deploy-checks", "test-first", "release-notes", "load-tests", "rollback"])
    await publishSkill(service, org, owner, { name, folder: "engineering/release" });
  await service.call("POST", `/api/tenants/${org.id}/teams`, { token: owner.token, body: { name: hostile } });
  await service.call("PATCH", `/api/tenants/${org.id}/members/${member.id}`, {
    token: owner.token,
    body: { role: "viewer" },
  });
  await service.settled();

  it("says what happened in sentences, folds runs of one kind, and links to the thing", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/audit`, { user: owner });
    const entries = page.getByRole("table", { name: "Entries of the audit log" });
    await entries.getByText(`changed the role of ${member.username} from member to viewer`).waitFor();
    await entries.getByText("organization.member_role_updated").waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    const run = entries.getByRole("row", { name: /Skill created 5 times/ });
    await run.getByText("rollback, load-tests, release-notes and 2 more").waitFor();
    await assertAccessible(page, "audit log");
    await run.getByRole("button", { name: "5 entries: Skill created" }).click();
    await entries.getByRole("link", { name: "test-first" }).click();
    await page.getByRole("heading", { name: "test-first", level: 1 }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("keeps the entry that is open in its address, also one of a run", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/audit`, { user: owner });
    await page.getByRole("button", { name: "5 entries: Skill created" }).click();
    await page.getByRole("button", { name: "Details: Skill created" }).nth(1).click();
    await page.waitForURL(/[?&]entry=/);
    const details = page.getByRole("button", { name: "Only this resource" });
    await details.waitFor();
    await page.reload();
    await details.waitFor();
    await page.getByRole("combobox", { name: "Time" }).selectOption("Last 7 days");
    await page.waitForURL((url) => !url.searchParams.has("entry"));
    assert.deepEqual(troubles, []);
  });

  it("is filtered by action, person, thing and time by their names, and exports what is filtered", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/audit`, { user: owner });
    const entries = page.getByRole("table", { name: "Entries of the audit log" });
    await page.getByRole("combobox", { name: "Action" }).click();
    await page.getByRole("combobox", { name: "Action" }).fill("skill created");
    await page.getByRole("option", { name: "Skill created" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Who" }).click();
    await page.getByRole("option", { name: new RegExp(owner.username) }).click();
    await page.getByRole("combobox", { name: "About" }).fill("rollb");
    await page.getByRole("option", { name: "rollback" }).click();
    await page.getByRole("combobox", { name: "Time" }).selectOption("Last 7 days");
    await entries.getByText("created the skill rollback").waitFor();
    await page.getByText("1 entry", { exact: true }).waitFor();
    await assertAccessible(page, "filtered audit log");

    await page.getByRole("button", { name: "Export" }).click();
    const item = page.getByRole("menuitem", { name: /CSV/ });
    const exported = await service.raw("GET", (await item.getAttribute("href")) ?? "", {
      token: owner.token,
    });
    const lines = (await exported.text()).trim().split("\r\n");
    assert.equal(lines.length, 2, lines.join("\n"));
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Save filter" }).click();
    const dialog = page.getByRole("dialog", { name: "Save filter" });
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByText("Enter a name.").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Rollbacks");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await entries.getByRole("row", { name: /Skill created 5 times/ }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Rollbacks", exact: true }).click();
    await page.getByText("1 entry", { exact: true }).waitFor();
    assert.equal(await page.getByRole("combobox", { name: "About" }).inputValue(), "rollback");
    assert.deepEqual(troubles, []);
  });
});
