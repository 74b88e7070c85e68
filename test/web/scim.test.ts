/** The page of SCIM in a real browser: enabling it, its users, groups and log, rotation of the token, and its end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newProvider, patchOp, providerOf, type Provider } from "../scim/fixture.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { confirmAddress, newMember } from "../support/organization.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the page of SCIM", { skip: whyNoBrowser() ?? false }, async () => {
  const dashboard = await setUpDashboard();

  it("enables SCIM, shows the token once, and rotates it", async () => {
    const { service } = dashboard;
    const owner = await service.newUser();
    await confirmAddress(service, owner);
    const org = await service.newOrg(owner);
    const { page, troubles, outside } = await dashboard.open(`/${org.slug}/-/scim`, { user: owner });
    await page.getByRole("heading", { name: "Before you enable it" }).waitFor();
    assert.equal(await page.getByRole("navigation", { name: "Provisioning" }).count(), 0);
    await assertAccessible(page, "SCIM that is off");

    await page.getByRole("button", { name: "Enable SCIM" }).click();
    const dialog = page.getByRole("dialog");
    const token = (await dialog.getByLabel("Token", { exact: true }).textContent())!;
    assert.match(token, /^lsks_[0-9a-f]{64}$/);
    await assertAccessible(page, "the token");
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await dialog.getByText("You have not copied the token.").waitFor();
    await dialog.getByRole("button", { name: "Close without copying" }).click();
    await page.getByText("none yet: test the connection").waitFor();
    assert.ok(!(await page.content()).includes(token));

    const provider = await service.app.storage.scimProviders.findOfTenant(org.id);
    const baseUrl = `${service.url}/scim/v2/${provider!._id}`;
    await page.getByText(baseUrl, { exact: true }).waitFor();
    await page.getByText("Entra ID", { exact: true }).click();
    await page.getByText(`${baseUrl}?aadOptscim062020`, { exact: true }).waitFor();
    await page.getByText("Other", { exact: true }).click();
    await page.getByText("Authorization: Bearer <token>").waitFor();
    await assertAccessible(page, "the set-up");

    const idp = providerOf(service, org, owner, { baseUrl, token, formerTokenUntil: null });
    await idp.ok("GET", "/Users?count=1");
    await until("the request to be shown", async () => (await page.getByText("none yet").count()) === 0);

    await page.getByRole("button", { name: "Rotate token" }).click();
    await dialog.getByRole("button", { name: "Create another token" }).click();
    const rotated = dialog.getByLabel("Token", { exact: true });
    await rotated.getByText(/^lsks_/).waitFor();
    const second = (await rotated.textContent())!;
    assert.notEqual(second, token);
    await dialog.getByRole("button", { name: "Copy token" }).click();
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await page.getByText(/the previous one expires/).waitFor();
    for (const one of [token, second])
      assert.equal(
        (
          await providerOf(service, org, owner, { baseUrl, token: one, formerTokenUntil: null }).send(
            "GET",
            "/Users",
          )
        ).status,
        200,
      );

    await page.getByRole("button", { name: "Disable SCIM" }).click();
    await assertAccessible(page, "the question before the end");
    await dialog.getByRole("button", { name: "Disable SCIM" }).click();
    await page.getByRole("heading", { name: "Before you enable it" }).waitFor();
    await page.getByRole("link", { name: "Log", exact: true }).waitFor();
    assert.equal((await idp.send("GET", "/Users")).status, 401);
    assert.deepEqual([...troubles, ...outside], []);
  });

  it("shows users, groups and requests, and puts a team under SCIM", async () => {
    const { service } = dashboard;
    const provider = await newProvider(service);
    const { org, owner } = provider;
    await provision(provider);
    await provider.ok("POST", "/Users", { userName: "guest@elsewhere.example" });
    const stopped = await provider.newUser("stopped");
    await provider.ok(
      "PATCH",
      `/Users/${stopped.id}`,
      patchOp({ op: "replace", path: "active", value: false }),
    );
    assert.equal((await provider.send("POST", "/Users", { userName: "ada@example.com" })).status, 409);
    await service.call("POST", `/api/tenants/${org.id}/teams`, {
      token: owner.token,
      body: { name: "Reviewers", roles: ["viewer"] },
    });
    await service.settled();

    const { page, troubles, outside } = await dashboard.open(`/${org.slug}/-/scim`, { user: owner });
    const tabs = page.getByRole("navigation", { name: "Provisioning" });
    await tabs.getByRole("link", { name: "Users 5" }).click();
    const users = page.getByRole("table", { name: "Users that SCIM manages" });
    await users.getByText("Ada Lovelace").waitFor();
    assert.equal(await users.getByRole("row").count(), 6);
    const guest = users.getByRole("row").filter({ hasText: "guest@elsewhere.example" });
    await guest.getByText("invited", { exact: true }).waitFor();
    await guest.getByText("has not verified the domain elsewhere.example").waitFor();
    assert.equal(await tabs.locator("[aria-current]").textContent(), "Users5");
    await assertAccessible(page, "users");
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "inactive" }).click();
    await users.getByText("stopped@example.com").waitFor();
    await users.getByText("Ada Lovelace").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Find users" }).fill("nobody");
    await page.getByText("No user matches.").waitFor();
    assert.match(page.url(), /view=users/);
    assert.match(page.url(), /query=nobody/);

    await tabs.getByRole("link", { name: "Groups 1" }).click();
    const groups = page.getByRole("table", { name: "Groups that SCIM manages" });
    await groups.getByText("Analysts").waitFor();
    await page.getByRole("button", { name: "Put a team under SCIM" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Team" }).click();
    await page.getByRole("option", { name: "Reviewers" }).waitFor();
    assert.deepEqual(await page.getByRole("option").allTextContents(), ["Reviewers"]);
    await page.getByRole("option", { name: "Reviewers" }).click();
    await dialog.getByText("decides who has the roles of this team: viewer").waitFor();
    await assertAccessible(page, "the choice of a team");
    await dialog.getByRole("button", { name: "Put under SCIM" }).click();
    await groups.getByText("existing team").waitFor();
    await assertAccessible(page, "groups");
    await groups.getByRole("button", { name: "Release Reviewers" }).click();
    await dialog.getByRole("button", { name: "Release team" }).click();
    await groups.getByText("existing team").waitFor({ state: "detached" });

    await tabs.getByRole("link", { name: "Log" }).click();
    const log = page.getByRole("table", { name: "Requests of the identity provider" });
    await log.getByText("active: true → false").waitFor();
    await log.getByText("has not verified the domain elsewhere.example").waitFor();
    await page.getByRole("combobox", { name: "Outcome" }).click();
    await page.getByRole("option", { name: "refused" }).click();
    await log.getByText("active: true → false").waitFor({ state: "detached" });
    await log.getByText('There is a user "ada@example.com" already.').waitFor();
    assert.equal(await log.getByRole("row").count(), 2);
    await assertAccessible(page, "the log");

    await page.goto(`${service.url}/${org.slug}/-/people`);
    const ada = page.getByRole("row").filter({ hasText: "Ada Lovelace" });
    await ada.getByText("SCIM", { exact: true }).waitFor();
    await assertAccessible(page, "members");
    assert.deepEqual([...troubles, ...outside], []);
  });

  it("asks for the password again when it was confirmed long ago, and reads further pages", async () => {
    const { service } = dashboard;
    const provider = await newProvider(service);
    const { org, owner } = provider;
    for (let i = 0; i < 51; i++) await provider.newUser(`person-${String(i).padStart(2, "0")}-${org.slug}`);
    await service.app.storage.database.raw
      .collection("sessions")
      .updateMany({ userId: owner.id }, { $set: { verifiedAt: new Date(0) } });
    const { page, outside } = await dashboard.open(`/${org.slug}/-/scim?view=users`, { user: owner });
    await page.getByText(`person-00-${org.slug}@example.com`).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText(`person-50-${org.slug}@example.com`).waitFor();
    await page.getByText(`person-00-${org.slug}@example.com`).waitFor();

    await page.getByRole("link", { name: "Set-up" }).click();
    await page.getByRole("button", { name: "Rotate token" }).click();
    await page.getByRole("button", { name: "Create another token" }).click();
    const again = page.getByRole("dialog", { name: "Confirm it is you" });
    await again.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
    await again.getByRole("button", { name: "Confirm" }).click();
    await page
      .getByRole("dialog")
      .getByLabel("Token", { exact: true })
      .getByText(/^lsks_/)
      .waitFor();
    assert.deepEqual(outside, []);
  });

  it("is for owners only", async () => {
    const { service } = dashboard;
    const { org } = await newProvider(service);
    const at = `/${org.slug}/-/scim`;
    const { page } = await dashboard.open(at, { user: await newMember(service, org, "admin") });
    await page.getByText("This page requires the permission").waitFor();
    assert.equal(await page.locator(`a[href="${at}"]`).count(), 0);
  });
});

async function provision(provider: Provider): Promise<void> {
  const ada = await provider.newUser("ada", { displayName: "Ada Lovelace" });
  await provider.newUser("grace");
  await provider.newUser("linus", { active: false });
  await provider.ok("POST", "/Groups", { displayName: "Analysts", members: [{ value: ada.id }] });
}
