/** The public page of an organization in a real browser, for visitors: empty of collections, full, failing. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { accessibilityProblems, sidewaysOverflow, whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { setUpDashboard } from "../support/web/dashboard.ts";

const pictures = process.env["SVC_TEST_PICTURES"];
const fullCount = 200;
const subjects = ["release notes", "code review", "data import", "load tests", "access audits"];

/** Fails for problems of accessibility or scrolling at three widths in both schemes. */
async function assertLooks(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
    [2560, 1440],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const look = `${name} ${colorScheme} ${width}`;
      if (pictures !== undefined) {
        mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `${look.replaceAll(" ", "-")}.png`) });
      }
      assert.deepEqual(await accessibilityProblems(page), [], look);
    }
    assert.equal(await sidewaysOverflow(page), 0, `${name} ${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe("the public page of an organization", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await service.call(method, path, { token: owner.token, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
  };
  const base = `/api/tenants/${org.slug}`;
  await call("PATCH", base, {
    name: "Lumen Works",
    description: "Skills for teams that release often <b>& safely</b>.",
  });
  await publishSkill(service, org, owner, {
    name: "release-notes",
    visibility: "public",
    tags: ["writing", "release"],
    description: "Writes release notes from merged pull requests. Use when a version is published.",
  });
  await publishSkill(service, org, owner, {
    name: "pdf-forms",
    visibility: "public",
    tags: ["documents"],
    description: "Fills in the fields of PDF forms.",
  });
  await publishSkill(service, org, owner, { name: "hidden-plan", description: "Plans in private." });
  await service.settled();

  const open = async (path = "") => {
    const watched = await dashboard.open(`/${org.slug}${path}`);
    await watched.page.getByRole("heading", { level: 1, name: "Lumen Works" }).waitFor();
    return watched;
  };
  const rows = (page: Page) => page.locator("ul.skills > li");

  it("shows its skills, and finds one by what it does, with the sentence that says so", async () => {
    const { page, troubles, outside } = await open();
    await rows(page).nth(1).waitFor();
    const text = await page.locator("main").innerText();
    assert.match(text, /2 public skills · 0 downloads/);
    assert.match(text, /0 downloads · updated/);
    assert.doesNotMatch(text, /hidden-plan|Collections/);
    assert.match(text, /<b>& safely<\/b>/, "text stays text");

    await page.getByLabel("Search the skills of this organization").fill("fill out a pdf form");
    await page.getByText("1 skill matches.").waitFor();
    assert.equal(await rows(page).count(), 1);
    assert.ok((await rows(page).locator("mark").count()) > 0);
    await page.waitForURL(/query=fill/);
    await page.getByLabel("Search the skills of this organization").fill("hidden plan in private");
    await page.getByText("No public skill of this organization matches.").waitFor();
    await page.getByRole("button", { name: "Show all skills" }).click();
    await rows(page).nth(1).waitFor();
    await page.getByRole("button", { name: /^documents/ }).click();
    await page.getByText("1 skill matches.").waitFor();
    await page.waitForURL(/tags=documents/);
    assert.deepEqual([troubles, outside], [[], []]);
  });

  it("has its collections in the organization's order, with public skills only", async () => {
    for (const [name, skills] of [
      ["For writers", ["release-notes", "hidden-plan"]],
      ["For offices", ["pdf-forms"]],
      ["Only private", ["hidden-plan"]],
    ] as const)
      await call("POST", `${base}/collections`, { name, skills, public: true, description: `${name}.` });
    await call("PUT", `${base}/collection-order`, { collections: ["for-offices", "for-writers"] });

    const { page, troubles } = await open();
    const cards = page.locator("ul.collections > li");
    await cards.nth(1).waitFor();
    assert.deepEqual(await cards.getByRole("heading").allInnerTexts(), ["For offices", "For writers"]);
    assert.doesNotMatch(await page.locator("main").innerText(), /hidden-plan/);
    await cards.getByRole("link", { name: "For writers" }).click();
    await page.getByRole("heading", { level: 2, name: "For writers" }).waitFor();
    await rows(page).first().waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.getByRole("link", { name: /All skills of/ }).click();
    await rows(page).nth(1).waitFor();

    await page.goto(`${service.url}/${org.slug}?collection=only-private`);
    await page.getByRole("heading", { name: "Collection not found" }).waitFor();
    assert.deepEqual(
      troubles.filter((one) => !/404/.test(one)),
      [],
    );
  });

  it("says the same without script", async () => {
    const answer = await service.raw("GET", `/${org.slug}`, { headers: { accept: "text/html" } });
    const page = await answer.text();
    for (const part of [
      "<h1>Lumen Works</h1>",
      "2 public skills",
      "&lt;b&gt;&amp; safely&lt;/b&gt;",
      ">For offices</a>",
      `href="/${org.slug}?collection=for-writers"`,
      `href="/${org.slug}/pdf-forms"`,
    ])
      assert.ok(page.includes(part), part);
    assert.doesNotMatch(page, /hidden-plan|Only private/);
    assert.ok(page.indexOf("For offices") < page.indexOf("For writers"));
  });

  it("shows why its skills or collections could not be read, and the rest of the page", async () => {
    const { page } = await dashboard.newPage();
    const failure = {
      success: false,
      error: "The database is busy.",
      code: "not_implemented",
      requestId: "r-1",
    };
    await page.route(/\/api\/(search|explore\/.*\/collections)/, (route) =>
      route.fulfill({ status: 501, json: failure }),
    );
    await page.goto(`${service.url}/${org.slug}`);
    await page.getByText("The database is busy.").nth(1).waitFor();
    await page.getByRole("heading", { level: 1, name: "Lumen Works" }).waitFor();
    await page.unrouteAll();
    const again = page.getByRole("button", { name: "Try again" });
    await again.last().click();
    await rows(page).nth(1).waitFor();
    await again.click();
    await page.locator("ul.collections > li").nth(1).waitFor();
  });

  it("is shown to a member who asks for it, in place of the library", async () => {
    const { page } = await dashboard.open(`/${org.slug}`, { user: owner });
    await page.waitForURL(/\/-\/library/);
    await page.goto(`${service.url}/${org.slug}/-/collections`);
    await page.getByRole("link", { name: "public page" }).click();
    await page.getByRole("heading", { level: 1, name: "Lumen Works" }).waitFor();
    await rows(page).nth(1).waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), /hidden-plan/);
  });

  it(`is accessible at each width, in both schemes, with ${fullCount} skills too`, async () => {
    const { page } = await open();
    await rows(page).first().waitFor();
    await assertLooks(page, "public-organization");

    for (let at = 2; at < fullCount; at++) {
      const subject = subjects[at % subjects.length]!;
      await publishSkill(service, org, owner, {
        name: `${subject.replace(" ", "-")}-${at}`,
        visibility: "public",
        type: at % 9 === 0 ? "rule" : "skill",
        tags: [subject.split(" ")[0]!, `team-${at % 7}`],
        description: `Helps with ${subject}: reads what exists, lists what is missing, and writes the rest for team ${at % 7}.`,
      });
    }
    await service.settled();
    await page.reload();
    await page.getByText(`${fullCount} public skills`).waitFor();
    const more = page.getByRole("button", { name: "Show more skills" });
    await more.waitFor();
    await assertLooks(page, "full-organization");
    for (let shown = 50; shown < fullCount; shown += 50) {
      await more.click();
      await rows(page).nth(shown).waitFor();
    }
    await more.waitFor({ state: "detached" });
    assert.equal(await rows(page).count(), fullCount);
    await page.getByRole("button", { name: /^Rules/ }).click();
    await page.getByText("22 skills match.").waitFor();
    await assertLooks(page, "narrowed-organization");
  });
});
