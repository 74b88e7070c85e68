/** The connections on the page of the workers, in a browser: more of them than a page shows. */
import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { newPage, openBrowser, whyNoBrowser } from "../support/browser.ts";
import { connectionDoc } from "../support/connection.ts";
import { startService, type TestService, type TestUser } from "../support/service.ts";

const count = 63;

describe("the list of connections", { skip: whyNoBrowser() ?? false }, () => {
  let service: TestService;
  let browser: Browser;
  let admin: TestUser;
  before(async () => {
    execFileSync(process.execPath, ["scripts/build.mjs", "web"], { stdio: "inherit" });
    service = await startService({ ownQueue: true });
    browser = await openBrowser();
    admin = await service.newUser("chief");
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it("begins with those in trouble, and shows more by keyboard", async () => {
    const { connections } = service.app.storage;
    const problem = { code: "auth_failed", message: "The token is refused.", at: new Date() };
    // By its id it would be the last one.
    for (let n = 0; n < count; n++)
      await connections.insert(connectionDoc(n, n === 0 ? { status: "blocked", problem } : {}));
    const { context, page } = await newPage(browser, service.url);
    const [name, value] = admin.cookie.split("=") as [string, string];
    await context.addCookies([{ name, value, url: service.url }]);
    await page.goto(`${service.url}/admin/workers`);
    const rows = page.locator("#connections tbody tr");
    await rows.nth(49).waitFor();
    assert.equal(await rows.count(), 50);
    assert.match(await rows.first().innerText(), /The token is refused\./);

    const more = page.getByRole("button", { name: "Show more connections" });
    await more.focus();
    await page.keyboard.press("Enter");

    await rows.nth(count - 1).waitFor();
    assert.equal(await rows.count(), count);
    assert.equal(await more.count(), 0);
  });
});
