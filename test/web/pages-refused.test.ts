/** Every page of the dashboard in a real browser as a viewer, a stranger and a visitor see it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { drawn } from "../support/web/drawn.ts";
import { routes, setUpPages } from "../support/web/pages.ts";

const isOfOrganization = (route: string) => route.startsWith("/$org");
/** For administrators of the service only. */
const isOfService = (route: string) => route.startsWith("/admin");
/** Its public face is the same for everyone, and names nothing private. */
const isPublic = (route: string) => route === "/$org";

describe("the pages without a right to them", { skip: whyNoBrowser() ?? false }, async () => {
  const pages = await setUpPages();

  it("show a viewer what a role allows, and nothing of a folder without a grant", async () => {
    const watched = await pages.dashboard.newPage({ user: pages.seeded.viewer });
    const problems: string[] = [];
    for (const route of routes) {
      // The owner's pages are visited without loading, so each address is loaded here.
      problems.push(...(await pages.open(watched, route)));
      const text = await watched.page.locator("main").innerText();
      if (/zebra/i.test(text)) problems.push(`${route} names the private skill`);
      const isHidden = /\$(slug|server|collection)/.test(route) || isOfService(route);
      if (isHidden && !text.includes("Not found")) problems.push(`${route} exists`);
    }
    assert.deepEqual(problems, []);
  });

  it("say nothing about a role while it is unknown whether the viewer can see the subject", async () => {
    const { page } = await pages.dashboard.newPage({ user: pages.seeded.viewer });
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/mcp-servers/zebra-tracker", async (route) => {
      await held;
      await route.continue();
    });
    const organization = page.waitForResponse(`**/api/tenants/${pages.seeded.org}`);
    await page.goto(pages.dashboard.service.url + pages.addressOf("/$org/-/mcp/$server/edit"));
    await (await organization).finished();
    await drawn(page);
    const before = await page.locator("main").innerText();
    release();
    await page.getByRole("heading", { name: "Not found" }).waitFor();

    assert.doesNotMatch(before, /requires the permission/);
  });

  it("show strangers and visitors the same as for what does not exist", async () => {
    const problems: string[] = [];
    for (const user of [pages.seeded.stranger, undefined]) {
      const watched = await pages.dashboard.newPage({ user });
      for (const route of routes) {
        problems.push(...(await pages.visit(watched, route)));
        const address = pages.addressOf(route);
        const sent = await pages.dashboard.service.raw("GET", address, user ? { cookie: user.cookie } : {});
        for (const html of [await watched.page.content(), await sent.text()])
          for (const name of [/zebra/i, /engineering/, /Platform/, /noor@/])
            if (name.test(withoutAddress(html, address))) problems.push(`${route} contains ${name}`);
        const text = await watched.page.locator("main").innerText();
        const isRefused = /Not found|Sign in/.test(text);
        if (isOfOrganization(route) && !isPublic(route) && !isRefused) problems.push(`${route} exists`);
        if (isOfService(route) && !text.includes("Not found")) problems.push(`${route} exists`);
      }
    }
    assert.deepEqual(problems, []);
  });
});

/** Without the address itself, which links such as that to the sign-in repeat. */
const withoutAddress = (html: string, address: string) =>
  html.replaceAll(address, "").replaceAll(encodeURIComponent(address), "");
