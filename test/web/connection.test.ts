/** Pages without a connection to the service, and after its upgrade: what is open stays, and navigation continues. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("a page without a connection", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  await publishSkill(service, org, owner, { name: "Deploy", content: "# Deploy\n", visibility: "private" });
  const library = `/${org.slug}/-/library/`;
  const bar = (page: Page) => page.getByRole("status").filter({ hasText: "No connection to the service." });

  it("stays when a link is followed, says so, and opens the target once the connection is back", async () => {
    const { page, context } = await dashboard.open(library, { user: owner });
    const tree = page.getByRole("treegrid", { name: "Library" });
    await tree.getByText("deploy").waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Audit log" }).click();

    await bar(page).waitFor();
    assert.ok(await tree.getByText("deploy").isVisible());
    await assertAccessible(page, "without a connection");

    await context.setOffline(false);
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await bar(page).waitFor({ state: "detached" });
  });

  it("keeps what was typed in the editor while the service is down", async () => {
    const { page } = await dashboard.open(`/${org.slug}/deploy/edit`, { user: owner });
    const text = page.getByRole("textbox", { name: /SKILL\.md/ });
    await text.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nTyped before.");
    const link = page.getByRole("link", { name: "MCP servers" });
    await link.waitFor();
    // The system has a network, and the service does not respond.
    await page.route("**/*", (route) => route.abort());
    await link.click();

    await bar(page).waitFor();
    await text.click();
    await page.keyboard.type(" Typed without a connection.");
    assert.match(await text.innerText(), /Typed before\..*Typed without a connection\./s);

    await page.unroute("**/*");
    await bar(page).waitFor({ state: "detached" });
  });

  it("is offered anew after an upgrade of the service, whose earlier scripts are gone", async () => {
    const { page } = await dashboard.open(library, { user: owner });
    const tree = page.getByRole("treegrid", { name: "Library" });
    await tree.getByText("deploy").waitFor();
    await page.route("**/assets/app/**", (route) => route.fulfill({ status: 404, body: "" }));
    await page.route(`${service.url}/`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replaceAll(/index-[\w-]+\.js/g, "index-new.js"),
      });
    });
    await page.getByRole("link", { name: "Audit log" }).click();

    await page.getByText("The service was upgraded.").waitFor();
    assert.ok(await tree.getByText("deploy").isVisible());
    await page.unrouteAll();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
  });
});
