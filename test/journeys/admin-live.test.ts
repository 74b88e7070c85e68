/** The page of the workers and its stream, in a browser whose stream and time go as the test likes. */
import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { newPage, openBrowser, whyNoBrowser } from "../support/browser.ts";
import { startService, type TestService, type TestUser } from "../support/service.ts";

describe("the stream of the page of the workers", { skip: whyNoBrowser() ?? false }, () => {
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

  it("is live again once a stream that was silent for a while is heard of", async () => {
    const { context, page } = await newPage(browser, service.url);
    const [name, value] = admin.cookie.split("=") as [string, string];
    await context.addCookies([{ name, value, url: service.url }]);
    // A stream that says what the test has it say, in a time that goes as the test likes.
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
});
