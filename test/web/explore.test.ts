/** The dashboard's frame and its catalog in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();

describe("the catalog in the dashboard", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);

  const slug = org.slug;
  for (const [name, visibility] of [
    ["alpha-notes", "public"],
    ["beta-review", "public"],
    ["gamma-secret", "private"],
  ]) {
    const content = `---\nname: ${name}\ndescription: Use when you write ${name} <script>alert(1)</script>.\n---\n# ${name}\n`;
    const body = { mode: "create", tenantId: org.id, name, visibility, content };
    const made = await service.call("POST", "/api/skills", { token: owner.token, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
  await service.settled();

  it("lists what is public, most downloaded first, filters it, and moves the choice by keys", async () => {
    const { page, troubles, outside } = await dashboard.newPage();
    const listed = page.waitForRequest(/\/api\/search\?/);
    await page.goto(`${dashboard.service.url}/explore`);
    assert.equal(new URL((await listed).url()).searchParams.get("sort"), "downloads");
    const options = page.getByRole("listbox").getByRole("option");
    await options.first().waitFor();

    assert.equal(await options.count(), 2, "the private skill is absent");
    assert.equal(await page.title(), "Explore · Skill registry");
    await page.keyboard.press("j");
    assert.equal(await options.nth(1).getAttribute("aria-selected"), "true");
    await page.keyboard.press("/");
    await page.keyboard.type("beta");
    await page.waitForRequest(/\/api\/search\?.*sort=relevance/);
    await page.getByText(`${slug}/beta-review`).first().waitFor();
    await options.nth(1).waitFor({ state: "detached" });
    await page.waitForURL(/query=beta/);
    await page.getByLabel("Search skills and rules").fill("nothing-like-this");
    await page.getByRole("heading", { name: "No skill matches" }).waitFor();

    assert.deepEqual(troubles, []);
    assert.deepEqual(outside, []);
  });

  it("shows the sentence and the request id of a call that fails, and recovers", async () => {
    const { page } = await dashboard.newPage();
    const failure = {
      success: false,
      error: "The database is being moved.",
      code: "not_implemented",
      requestId: "request-12345",
    };
    await page.route("**/api/search*", (call) => call.fulfill({ status: 501, json: failure }));
    await page.goto(`${dashboard.service.url}/explore`);
    await page.getByText("The database is being moved.").waitFor();
    await page.getByText("request-12345").waitFor();
    await page.unroute("**/api/search*");
    await page.getByRole("button", { name: "Try again" }).click();
    const options = page.getByRole("listbox").getByRole("option");
    await options.first().waitFor();

    const search = page.getByLabel("Search skills and rules");
    await page.route("**/api/search*", (call) => call.fulfill({ status: 501, json: failure }));
    await search.fill("beta");
    await page.getByText("request-12345").waitFor();
    assert.equal(await search.inputValue(), "beta", "the text stays");
    await page.unroute("**/api/search*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(`${slug}/beta-review`).first().waitFor();
  });

  it("keeps the list when its next page fails, and requests that page only when asked to", async () => {
    const { page } = await dashboard.newPage();
    let pages = 0;
    const failure = { success: false, error: "Too much at once.", code: "rate_limited", requestId: "r-1" };
    await page.route("**/api/search*", async (call) => {
      if (call.request().url().includes("cursor=")) {
        pages++;
        return call.fulfill({ status: 429, json: failure });
      }
      const response = await call.fetch();
      return call.fulfill({ response, json: { ...(await response.json()), nextCursor: "next" } });
    });
    await page.goto(`${dashboard.service.url}/explore`);
    await page.getByText("Too much at once.").waitFor();
    const first = pages;

    await page.getByRole("button", { name: "Try again" }).click();
    await until("the page to be requested again", () => pages > first);
    await page.getByText("Too much at once.").waitFor();

    assert.equal(await page.getByRole("listbox").getByRole("option").count(), 2);
    assert.equal(pages, 2);
  });

  it("serves the same page for every address, with a nonce of its own, and never for a missing file", async () => {
    const [first, second] = await Promise.all(
      [`/${slug}/gamma-secret`, `/${slug}/not-there`].map((path) =>
        dashboard.service.raw("GET", path, { headers: { accept: "text/html" } }),
      ),
    );
    const withoutNonce = async (answer: Response) => (await answer.text()).replaceAll(/nonce="[^"]+"/g, "");
    assert.deepEqual([first!.status, second!.status], [200, 200]);
    assert.notEqual(
      first!.headers.get("content-security-policy"),
      second!.headers.get("content-security-policy"),
    );
    assert.equal(await withoutNonce(first!), await withoutNonce(second!));
    const missing = await dashboard.service.raw("GET", "/assets/app/gone-12345678.js");
    assert.equal(missing.status, 404);
    assert.match(missing.headers.get("content-type") ?? "", /json/);
    assert.equal((await dashboard.service.raw("GET", "/assets/app/..%2f..%2fadmin.js")).status, 404);
  });
});
