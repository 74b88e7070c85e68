/** The sidebar of an owner in an organization of real size: 40 workspaces, nested folders, and things that wait. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { whyNoBrowser } from "../support/browser.ts";
import { connectionDoc } from "../support/connection.ts";
import { newFolder, publishSkill } from "../support/organization.ts";
import { setUpService } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { press, tabTo } from "../support/web/keyboard.ts";
import { makeFixture } from "../workspaces/fixture.ts";

const members = 40;
const areas = ["comms", "data", "design", "documents", "engineering", "sales", "support"];

describe("the sidebar at real size", { skip: whyNoBrowser() ?? false }, async () => {
  const { service } = await setUpService();
  const { org, owner, join, enable } = await makeFixture(service);
  const dashboard = await setUpDashboard(service);
  for (const area of areas)
    for (const part of ["alpha", "beta", "gamma"]) await newFolder(service, org, owner, `${area}/${part}`);
  const inAlpha = await publishSkill(service, org, owner, { name: "Deploy", folder: "data/alpha" });
  await publishSkill(service, org, owner, { name: "Reports", folder: "data" });
  for (let count = 1; count < members; count++) await join();
  await enable();
  const { connections, syncConflicts } = service.app.storage;
  const connection = connectionDoc(1, { tenantId: org.id });
  await connections.insert(connection);
  const conflict = { connectionId: connection._id, tenantId: org.id, commit: "c", at: service.app.now() };
  await syncConflicts.record([
    { ...conflict, winning: 2, losing: 1, skillId: inAlpha.id, path: "skills/data/alpha/deploy" },
  ]);

  const open = async (path = `/${org.slug}/-/library`) => {
    const opened = await dashboard.open(path, { user: owner });
    await opened.page.setViewportSize({ width: 1440, height: 900 });
    const sidebar = opened.page.getByRole("complementary", { name: "Navigation", exact: true });
    await sidebar.getByRole("link", { name: "People and roles" }).waitFor();
    return { ...opened, sidebar, tree: sidebar.getByRole("tree", { name: "Folders" }) };
  };
  const folder = (tree: Locator, name: string) =>
    tree.getByRole("treeitem", { name: new RegExp(`^${name}`) });
  async function assertInView(page: Page, link: Locator, name: string): Promise<void> {
    const box = await link.boundingBox();
    const size = page.viewportSize()!;
    assert.ok(box && box.y >= 0 && box.y + box.height <= size.height, `${name} is in view`);
    // A trial click fails if something covers the link.
    await link.click({ trial: true });
  }

  it("has the organization's pages in view at 900 pixels, and one entry for the workspaces of others", async () => {
    const { page, sidebar, tree, troubles } = await open();
    for (const name of ["People and roles", "Repository sync", "MCP servers", "Settings"])
      await assertInView(page, sidebar.getByRole("link", { name: new RegExp(`^${name}`) }), name);
    await folder(tree, "support").waitFor();

    assert.equal(await tree.getByRole("treeitem").count(), areas.length);
    assert.equal(await sidebar.getByRole("link", { name: /^Workspaces of others/ }).count(), 1);
    await sidebar.getByRole("link", { name: /^My workspace/ }).waitFor();
    assert.equal(await folder(tree, "data").innerText(), "data\n2");
    await sidebar.getByRole("link", { name: "Repository sync (1 conflict)" }).waitFor();
    await sidebar.getByRole("link", { name: /^Home/ }).getByText("1").waitFor();
    await assertAccessible(page, "the sidebar");
    assert.deepEqual(troubles, []);
  });

  it("is one Tab stop for all folders, which the arrow keys open and close, and which stay so", async () => {
    const { page, sidebar, tree } = await open();
    const { keyboard } = page;
    await folder(tree, "data").waitFor();
    await tabTo(sidebar.getByRole("link", { name: "All skills" }));
    await keyboard.press("Tab");
    await folder(tree, "comms").and(page.locator(":focus")).waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowRight");
    await folder(tree, "alpha").waitFor();
    await keyboard.press("ArrowRight");
    await folder(tree, "alpha").and(page.locator(":focus")).waitFor();
    await keyboard.press("Tab");
    assert.equal(await tree.locator(":focus").count(), 0, "the next Tab leaves the folders");
    await keyboard.press("Shift+Tab");
    await keyboard.press("Enter");
    await page.waitForURL("**/library/data/alpha");

    await page.reload();
    await folder(tree, "gamma").waitFor();
    assert.equal(await folder(tree, "data").getAttribute("aria-expanded"), "true");
    await folder(tree, "data").focus();
    await keyboard.press("ArrowLeft");
    await folder(tree, "gamma").waitFor({ state: "detached" });
    await page.goto(`${service.url}/explore`);
    await folder(tree, "data").waitFor();
    assert.equal(await folder(tree, "data").getAttribute("aria-expanded"), "false");
  });

  it("shows pinned folders and skills, and the skills that were opened lately", async () => {
    const { page, sidebar, tree, troubles } = await open(`/${org.slug}/-/library/data/alpha`);
    await press(page.getByRole("button", { name: "Pin alpha to the sidebar" }));
    await page.goto(`${service.url}/${org.slug}/-/library/data/alpha?skill=deploy`);
    await press(page.getByRole("button", { name: "Pin deploy to the sidebar" }));
    await page.goto(`${service.url}/${org.slug}/reports`);
    await page.getByRole("heading", { name: "reports", level: 1 }).waitFor();

    const links = sidebar.locator(".library-links").getByRole("link");
    const deploy = sidebar.locator(".library-links").getByRole("link", { name: "deploy" });
    await deploy.waitFor();
    assert.deepEqual((await links.allInnerTexts()).slice(0, 3), ["alpha", "deploy", "reports"]);
    await page.reload();
    await deploy.waitFor();
    assert.deepEqual((await links.allInnerTexts()).slice(0, 3), ["alpha", "deploy", "reports"]);
    await press(sidebar.getByRole("button", { name: "Unpin deploy" }));
    await sidebar.getByRole("button", { name: "Unpin deploy" }).waitFor({ state: "detached" });
    await sidebar.getByRole("button", { name: "Unpin alpha" }).waitFor();
    await folder(tree, "data").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("keeps pages that few open in a part that opens, and shows there what waits", async () => {
    const { page, sidebar } = await open();
    const more = sidebar.getByRole("button", { name: /^Access and security/ });
    assert.equal(await sidebar.getByRole("link", { name: "Single sign-on" }).count(), 0);
    await press(more);
    await press(sidebar.getByRole("link", { name: "Single sign-on" }));
    await page.waitForURL("**/-/sso");
    await page.reload();
    await sidebar.getByRole("link", { name: "Provisioning" }).waitFor();
    assert.equal(await more.getAttribute("aria-expanded"), "true");
  });
});
