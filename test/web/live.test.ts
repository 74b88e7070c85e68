/** Changes by other people on open pages of the dashboard. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { whyNoBrowser } from "../support/browser.ts";
import { setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();

describe("live updates of the dashboard", { skip: reason ?? false }, async () => {
  const dashboard = await setUpDashboard();

  const { service } = dashboard;
  const owner = await service.newUser();
  const orgId = (await service.newOrg(owner)).id;

  const createFolder = async (name: string) => {
    const made = await service.call("POST", `/api/tenants/${orgId}/folders`, {
      token: owner.token,
      body: { path: name, parents: true },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  };
  const folderLink = (page: Page, name: string) => page.getByRole("treeitem", { name });

  it("appear in every tab, by one stream for all of them, which another tab takes over", async () => {
    const { page, context, troubles } = await dashboard.newPage({ user: owner });
    const streams: string[] = [];
    context.on("request", (request) => {
      if (request.url().endsWith("/api/events")) streams.push(request.url());
    });
    const streamOpens = context.waitForEvent("response", (response) =>
      response.url().endsWith("/api/events"),
    );
    await page.goto(`${service.url}/explore`);
    await streamOpens;
    const second = await context.newPage();
    await second.goto(`${service.url}/explore`);
    await second.getByRole("button", { name: "Keyboard shortcuts" }).waitFor();

    await createFolder("first-folder");
    await folderLink(page, "first-folder").waitFor();
    await folderLink(second, "first-folder").waitFor();
    assert.equal(streams.length, 1);

    const takenOver = context.waitForEvent("response", (response) => response.url().endsWith("/api/events"));
    await page.close();
    await takenOver;
    await createFolder("second-folder");
    await folderLink(second, "second-folder").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("are not requested for a visitor", async () => {
    const { page, troubles } = await dashboard.newPage();
    const streams: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/events")) streams.push(request.url());
    });
    // The part that listens is loaded with the notices, after the page.
    const loaded = page.waitForResponse((response) => /live-updates-.*\.js$/.test(response.url()));
    await page.goto(`${service.url}/explore`);
    await loaded;
    await page.waitForLoadState("networkidle");
    assert.deepEqual(streams, []);
    assert.deepEqual(troubles, []);
  });

  it("send no request that a sign-out makes fail", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    const opens = page.waitForEvent("response", (response) => response.url().endsWith("/api/events"));
    await page.goto(`${service.url}/explore`);
    await opens;
    await page.route("**/api/auth/sign-out", async (route) => {
      const response = await route.fetch();
      // Makes the page read folders again, without a session, while it still waits for the response.
      await createFolder("third-folder");
      await page.evaluate("new Promise((done) => setTimeout(done, 500))");
      await route.fulfill({ response });
    });

    await page.getByRole("button", { name: owner.username }).last().click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();

    assert.deepEqual(troubles, []);
  });

  for (const [waiting, at, path] of [
    ["the stream opens", "/explore", "**/api/events"],
    ["a page is read", "/settings/activity", "**/api/user/audit-log*"],
  ] as const)
    it(`send no request that a sign-out makes fail while ${waiting}`, async () => {
      const user = await service.newUser();
      const { page, troubles } = await dashboard.newPage({ user });
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      await page.route(path, async (route) => {
        await released;
        // The page may have given the request up.
        await route.continue().catch(() => undefined);
      });
      const opens = page.waitForRequest(path);
      await page.goto(service.url + at);
      await opens;
      await page.route("**/api/auth/sign-out", async (route) => {
        const response = await route.fetch();
        release();
        await page.evaluate("new Promise((done) => setTimeout(done, 500))");
        await route.fulfill({ response });
      });

      await page.getByRole("button", { name: user.username }).last().click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("link", { name: "Sign in" }).first().waitFor();

      assert.deepEqual(troubles, []);
    });
});
