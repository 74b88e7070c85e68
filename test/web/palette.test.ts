/** Ctrl K and `/` while the code that they need is on its way: what is typed at once goes into the field. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const lateMs = 4000;

describe("the palette and the filter key", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  await publishSkill(service, org, owner, { name: "Deploy", visibility: "private" });
  await service.settled();

  /** Holds back a chunk by the start of its name. */
  const delay = (page: Page, chunk: string) =>
    page.route(new RegExp(`/${chunk}-[^/]*\\.js$`), async (route) => {
      await new Promise((resolve) => setTimeout(resolve, lateMs));
      await route.continue();
    });
  const field = (page: Page) => page.getByRole("textbox", { name: "Search or jump to" });
  const filter = (page: Page) => page.getByRole("textbox", { name: "Filter folders and skills" });

  it("type into the palette however late its code arrives", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    await delay(page, "palette");
    await page.goto(`${service.url}/explore`);
    await page.getByRole("button", { name: /Search or jump to/ }).waitFor();
    const arrives = page.waitForResponse(/\/palette-[^/]*\.js$/);
    await page.keyboard.press("Control+k");
    // As a shortcut, "g p" leads to the people.
    await page.keyboard.type("g people");
    assert.equal(await field(page).inputValue(), "g people");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("peo");
    await assertAccessible(page, "the palette before its code");
    await arrives;
    await page.keyboard.type("ple");
    await page.getByRole("button", { name: /^People and roles/ }).waitFor();
    await page.keyboard.type(" and");

    assert.equal(await field(page).inputValue(), "people and");
    assert.match(page.url(), /explore/);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/-/people");
    assert.deepEqual(troubles, []);
  });

  it("close the palette by Escape before and after its code has arrived, with the focus where it was", async () => {
    const { page } = await dashboard.newPage({ user: owner });
    await delay(page, "palette");
    await page.goto(`${service.url}/explore`);
    const opener = page.getByRole("link", { name: "My installs" });
    for (const isLate of [true, false]) {
      await opener.focus();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("de");
      if (!isLate)
        await page.getByText("pages", { exact: true }).or(page.getByText("Skills")).first().waitFor();
      await page.keyboard.press("Escape");
      await field(page).waitFor({ state: "detached" });
      await opener.and(page.locator(":focus")).waitFor();
    }
  });

  it("keep what is typed when the code can't be loaded, and offer to load the page again", async () => {
    const { page } = await dashboard.newPage({ user: owner });
    await page.route(/\/palette-[^/]*\.js$/, (route) => route.abort());
    await page.goto(`${service.url}/explore`);
    await page.getByRole("button", { name: /Search or jump to/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("people");
    await page.getByText("The service was upgraded.").waitFor();
    assert.equal(await field(page).inputValue(), "people");
  });

  it("type into the filter of a page that is still loaded", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    await page.route("**/api/tenants/*/folders*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, lateMs));
      await route.continue();
    });
    await page.goto(`${service.url}/${org.slug}/-/library`);
    await page.getByRole("button", { name: /Search or jump to/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("g pep");
    await filter(page).waitFor();
    await page.keyboard.type("loy");

    await filter(page).and(page.locator(":focus")).waitFor();
    assert.equal(await filter(page).inputValue(), "g peploy");
    await page.waitForURL(/filter=g\+peploy|filter=g%20peploy/);
    assert.equal(await field(page).count(), 0);
    assert.deepEqual(troubles, []);
  });

  it("open the palette by / where nothing can be filtered, and name the files of a skill only on its pages", async () => {
    const { page } = await dashboard.open("/settings/appearance", { user: owner });
    await page.getByRole("heading", { name: "Appearance" }).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("deploy");
    await page.getByRole("button", { name: new RegExp(`^${org.slug}/deploy`) }).waitFor();
    assert.equal(await page.getByText("files of this skill").count(), 0);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "deploy", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByText("files of this skill").waitFor();
  });
});
