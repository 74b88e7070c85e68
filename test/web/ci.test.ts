/** The page of CI tokens in a real browser: trust, workflow file, test of a token, exchange, origin of a version. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OidcExchangePayload } from "../../contract/payloads/accounts/ci.ts";
import { setUpCi } from "../ci/fixture.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill } from "../support/organization.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the page of CI tokens", { skip: whyNoBrowser() ?? false }, async () => {
  const fixture = await setUpCi();
  const { service, org, owner, github } = fixture;
  const dashboard = await setUpDashboard(service);
  const at = () => `/${org.slug}/-/ci`;
  await newFolder(service, org, owner, "release");
  await publishSkill(service, org, owner, { name: "notes", folder: "release", visibility: "private" });
  await service.settled();

  it("goes from an empty list to a trusted pipeline, its workflow file and its first version", async () => {
    const { page, troubles, outside } = await dashboard.open(at(), { user: owner });
    await page.getByRole("heading", { name: "No trust policies yet" }).waitFor();
    await assertAccessible(page, "no trust policies");

    await page.getByRole("button", { name: "New trust policy" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Publish notes");
    await dialog.getByRole("textbox", { name: "Repository" }).fill("acme/skills");
    await dialog.getByRole("textbox", { name: "Ref" }).fill("main");
    await assertAccessible(page, "the dialog of a trust policy");
    await dialog.getByRole("button", { name: "Create policy" }).click();
    await dialog.getByText(/full ref such as/).waitFor();
    await dialog.getByRole("textbox", { name: "Ref" }).fill("refs/heads/main");
    await dialog.getByRole("switch", { name: "Limit them to skills" }).check();
    await dialog.getByPlaceholder("Find a skill").click();
    await page.getByRole("option", { name: "notes" }).click();
    await dialog.getByLabel("Name").click();
    await dialog.getByRole("button", { name: "Create policy" }).click();
    await dialog.waitFor({ state: "detached" });

    const policies = page.getByRole("region", { name: "Trust policies" });
    await policies.getByText("No exchange yet.").waitFor();
    await policies.getByText(/limited to notes/).waitFor();
    const file = page.getByLabel("Content of .github/workflows/publish-skills.yml");
    const text = (await file.textContent())!;
    assert.match(text, /id-token: write/);
    assert.match(text, new RegExp(`svc login --oidc-token auto --team ${org.slug}`));
    assert.match(text, new RegExp(`--skill ${org.slug}/notes`));

    await page.getByLabel("Identity token").fill(await github.mint(service.url, { ref: "refs/heads/dev" }));
    await page.getByRole("button", { name: "Test token" }).click();
    await page.getByText("An exchange of this token is refused.").waitFor();
    const verdict = page.getByRole("group", { name: "Publish notes: does not match" });
    await verdict.getByText("refs/heads/dev").waitFor();
    await assertAccessible(page, "the test of a token");

    await page
      .getByRole("button", { name: "Require .github/workflows/publish.yml in Publish notes …" })
      .click();
    assert.equal(
      await dialog.getByRole("textbox", { name: "Workflow file" }).inputValue(),
      ".github/workflows/publish.yml",
    );
    await dialog.getByRole("switch", { name: "Protected branches and tags only" }).check();
    await dialog.getByPlaceholder("Add an event").fill("repository_dispatch");
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "push", exact: true }).click();
    await dialog.getByLabel("Name").click();
    await page.getByRole("option", { name: "push", exact: true }).waitFor({ state: "hidden" });
    await assertAccessible(page, "the terms that a tested token proposes");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await policies
      .getByText(
        "acme/skills at the protected refs/heads/main by .github/workflows/publish.yml, started by repository_dispatch, push",
      )
      .waitFor();
    await page.getByRole("button", { name: "New trust policy for this run …" }).click();
    assert.equal(await dialog.getByRole("textbox", { name: "Ref" }).inputValue(), "refs/heads/dev");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });

    const exchanged = await service.call<OidcExchangePayload>("POST", "/api/auth/oidc/exchange", {
      body: { token: await github.mint(service.url), team: org.slug },
    });
    assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body));
    const pushed = await service.call("POST", `/api/skills/${org.slug}~notes/versions`, {
      token: exchanged.data.token,
      body: { content: "# Notes\n\nFrom CI.\n" },
    });
    assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
    await service.settled();
    await page.reload();
    await policies.getByText(/^Last exchange/).waitFor();
    const run = policies.getByRole("link", { name: "acme/skills@main" });
    assert.equal(await run.getAttribute("href"), `${github.url}/acme/skills/actions/runs/77`);
    await assertAccessible(page, "a policy with an exchange");
    // The refused form.
    assert.deepEqual(
      troubles.filter((trouble) => !trouble.includes("400 (Bad Request)")),
      [],
    );
    assert.deepEqual(outside, []);
  });

  it("shows the origin of the version in the header, among the versions and in the comparison", async () => {
    for (const tab of ["", "/versions", "/compare/1.0.0...1.0.1"]) {
      const { page, troubles } = await dashboard.open(`/${org.slug}/notes${tab}`, { user: owner });
      const link = page.getByRole("link", { name: "acme/skills@main" }).first();
      await link.waitFor();
      assert.equal(await link.getAttribute("href"), `${github.url}/acme/skills/actions/runs/77`);
      await assertAccessible(page, `the origin of a version${tab}`);
      assert.deepEqual(troubles, []);
    }
  });

  it("disables and deletes a policy", async () => {
    const { page, troubles } = await dashboard.open(at(), { user: fixture.owner });
    const menu = page.getByRole("button", { name: "Actions for Publish notes" });
    await menu.click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByText("disabled", { exact: true }).waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Delete …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete policy" }).click();
    await page.getByRole("heading", { name: "No trust policies yet" }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("is in the navigation of those who may manage it only, and does not exist for strangers", async () => {
    const link = `a[href="${at()}"]`;
    const own = await dashboard.open(`/${org.slug}/-/library`, { user: owner });
    await own.page.getByRole("button", { name: "Access and security" }).click();
    await own.page.locator(link).first().waitFor();
    const member = await dashboard.open(at(), { user: await newMember(service, org, "member") });
    await member.page.getByText("This page requires the permission").waitFor();
    assert.equal(await member.page.locator(link).count(), 0);
    for (const user of [undefined, await service.newUser()]) {
      const { page } = await dashboard.open(at(), { user });
      await page.getByRole("heading", { name: "Not found" }).waitFor();
    }
  });
});
