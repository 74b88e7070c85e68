/** Details of the frame that every page has: the organization that is kept, the list of keys, tabs and heads. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the frame of the pages", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const other = await service.newOrg(owner, "zeta-works");
  await publishSkill(service, org, owner, { name: "Deploy", visibility: "private" });
  await service.settled();

  it("keeps the organization of the sidebar on the page for a new skill", async () => {
    const { page } = await dashboard.open(`/${other.slug}/-/library`, { user: owner });
    const sidebar = page.getByRole("complementary", { name: "Navigation", exact: true });
    const chosen = page.getByRole("combobox", { name: "Organization" });
    await sidebar.getByText(other.slug).first().waitFor();

    await page.goto(`${service.url}/new`);
    await chosen.waitFor();
    assert.equal(await chosen.inputValue(), other.slug);
    await page.goto(`${service.url}/new?org=${org.slug}`);
    await chosen.waitFor();
    assert.equal(await chosen.inputValue(), org.slug);
    await sidebar.getByText(org.slug).first().waitFor();
  });

  it("lists the keys, and scrolls the list by the arrow keys where it does not fit", async () => {
    const { page, troubles } = await dashboard.open("/explore", { user: owner });
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.getByRole("button", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("?");
    const keys = page
      .getByRole("dialog", { name: "Keyboard shortcuts" })
      .getByRole("group", { name: "Keys" });
    await keys.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("End");
    await keys.getByText("mark the file as viewed").click({ trial: true });
    await page.setViewportSize({ width: 1440, height: 768 });
    await assertAccessible(page, "the keys");
    assert.deepEqual(troubles, []);
  });

  it("fades tabs where they are cut", async () => {
    const { page } = await dashboard.open(`/${org.slug}/deploy`, { user: owner, width: 390 });
    const cut = (at: string) => page.locator(`.tabs[data-cut="${at}"]`).waitFor();
    await cut("end");
    await page.getByRole("link", { name: "Settings" }).click();
    await cut("start");
    await page.setViewportSize({ width: 1440, height: 768 });
    await cut("");
  });

  it("never cuts the button next to a long text", async () => {
    const { page } = await dashboard.open(`/${org.slug}/-/mcp`, { user: owner });
    const button = page.getByRole("button", { name: "Import", exact: true });
    await button.waitFor();
    for (const width of [390, 800, 1440]) {
      await page.setViewportSize({ width, height: 768 });
      const isCut = await button
        .locator(".mantine-Button-label")
        .evaluate(
          (label: { scrollWidth: number; clientWidth: number }) => label.scrollWidth > label.clientWidth,
        );
      assert.equal(isCut, false, `at ${width} px`);
    }
  });
});
