/** The rows of the library in a browser while skills are loaded, and actions on several skills. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const names = ["zeta", "eta", "delta", "gamma", "beta", "alpha"];

describe("the library", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  for (const folder of ["data", "ops"]) await newFolder(service, org, owner, folder);
  const description = `Rolls a release out. ${"It checks each cluster first. ".repeat(20)}`.slice(0, 900);
  for (const name of names)
    await publishSkill(service, org, owner, { name, description, folder: "data", visibility: "private" });
  await service.settled();

  const address = `${service.url}/${org.slug}/-/library`;
  const tree = (page: Page) => page.getByRole("treegrid", { name: "Library" });
  const rows = (page: Page) => tree(page).getByRole("row");

  it("shows in an open folder as many rows as it counts while skills are loaded, and moves none", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    const held: (() => void)[] = [];
    // Pages of two skills; the second one is held back.
    await page.route(/\/api\/skills\?/, async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "2");
      if (url.searchParams.get("cursor")) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue({ url: url.href });
    });
    await page.goto(address);
    await rows(page).filter({ hasText: "ops" }).waitFor();
    const before = await rows(page).filter({ hasText: "ops" }).boundingBox();
    const count = await rows(page).count();
    assert.deepEqual(await rows(page).filter({ hasText: "data" }).getByRole("gridcell").allInnerTexts(), [
      "data",
      "",
      String(names.length),
      "",
      "",
    ]);

    const release = setInterval(() => held.shift()?.(), 20);
    await rows(page).filter({ hasText: "zeta" }).waitFor();
    clearInterval(release);
    for (const resolve of held) resolve();
    assert.deepEqual(await rows(page).filter({ hasText: "ops" }).boundingBox(), before);
    const slugs = await tree(page).locator('[aria-level="2"] .clip').allInnerTexts();
    assert.deepEqual(slugs.slice(0, names.length), names.toSorted());
    // The root has no skills; its places are gone.
    assert.equal(await rows(page).count(), count - 3);
    assert.deepEqual(troubles, []);
  });

  it("cuts a long description in the panel, and shows the rest on demand", async () => {
    const { page } = await dashboard.open(`/${org.slug}/-/library/data?skill=beta`, { user: owner });
    const panel = page.getByRole("complementary", { name: "Details of beta" });
    await panel.getByRole("button", { name: "More" }).waitFor();
    assert.ok((await panel.locator("p.sub").innerText()).length < 320);
    await panel.getByRole("button", { name: "More" }).click();
    await panel.getByRole("button", { name: "Less" }).waitFor();
    assert.ok((await panel.locator("p.sub").innerText()).length > 600);
    await assertAccessible(page, "the library with a skill");
  });
});
