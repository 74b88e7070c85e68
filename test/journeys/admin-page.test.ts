/** The admin page with workers next to its jobs, in a browser: its event stream, and its longer list of connections. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { newPage, openBrowser, whyNoBrowser } from "../support/browser.ts";
import { connectionDoc } from "../support/connection.ts";
import { startService, type TestService, type TestUser } from "../support/service.ts";

const count = 63;

describe("the admin page of workers and jobs", { skip: whyNoBrowser() ?? false }, () => {
  let service: TestService;
  let browser: Browser;
  let admin: TestUser;
  before(async () => {
    browser = await openBrowser();
    service = await startService({ ownQueue: true });
    admin = await service.newUser("chief");
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it("shows live data again when a silent stream resumes", async () => {
    const { page } = await newPage(browser, service.url, { user: admin });
    // A stream that sends what the test requests, with a simulated clock.
    await page.clock.install();
    await page.addInitScript(
      "window.EventSource = class extends EventTarget { constructor() { super(); window.stream = this; } close() {} }",
    );
    const say = (event: string, data: string) =>
      page.evaluate(`stream.dispatchEvent(new MessageEvent("${event}", { data: '${data}' }))`);
    const line = page.locator("#live");
    await page.goto(`${service.url}/admin/workers`);
    await say("queues", '{"queues":[],"marks":{}}');
    await line.filter({ hasText: /^Live$/ }).waitFor();

    await page.clock.runFor(26_000);
    await line.filter({ hasText: /^Not live: the figures are asked for/ }).waitFor();
    await say("alive", "{}");

    await line.filter({ hasText: /^Live$/ }).waitFor();
    await page.clock.runFor(12_000);
    assert.equal(await line.innerText(), "Live");
  });

  it("lists connections with errors first, and shows more by keyboard", async () => {
    const { connections } = service.app.storage;
    const problem = { code: "auth_failed" as const, message: "The token is refused.", at: new Date() };
    // By its id it would be the last one.
    for (let n = 0; n < count; n++)
      await connections.insert(connectionDoc(n, n === 0 ? { status: "blocked", problem } : {}));
    const { page } = await newPage(browser, service.url, { user: admin });
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
