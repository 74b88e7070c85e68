/** A new colleague finds skills by what they do, decides by the preview, and copies one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { readCorpus } from "../../bench/search/set.ts";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard, type Look } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();
const looks: Look[] = [390, 1440, 2560].flatMap((width) => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);

describe("finding a skill in the dashboard", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const publisher = await service.newUser();
  const library = await service.newOrg(publisher, "open-library");
  await mapLimit(readCorpus(["documents", "tests"]), 4, async ({ content }) => {
    const made = await service.call("POST", "/api/skills", {
      token: publisher.token,
      body: { tenantId: library.id, visibility: "public", content },
    });
    assert.equal(made.status, 201, made.error);
  });
  for (const name of ["release-notes", "release-announcement"]) {
    const content = `---\nname: ${name}\ndescription: Writes the notes of a release from merged pull requests.\n---\n# ${name}\n`;
    const body = { tenantId: org.id, content, tags: ["release"] };
    await service.call("POST", "/api/skills", { token: owner.token, body });
  }
  const colleague = await newMember(service, org, "member");
  await service.settled();

  const rowsOf = (page: Page) => page.getByRole("listbox", { name: "Skills" }).getByRole("option");
  async function search(page: Page, phrase: string, slug: string): Promise<void> {
    await page.getByLabel("Search skills and rules").fill(phrase);
    await rowsOf(page).first().getByText(slug, { exact: true }).waitFor();
    await page.waitForURL((url) => url.searchParams.get("query") === phrase);
  }

  it("takes three phrases, one of them with a typing error, and ends with a copy", async () => {
    const { page, troubles, outside } = await dashboard.open("/explore", { user: colleague });
    const preview = page.getByRole("region", { name: "Preview" });

    await search(page, "check a page in a browser", "webapp-testing");
    assert.ok((await rowsOf(page).first().locator("mark").count()) > 0, "the matched words are marked");
    await search(page, "spredsheet with formulas", "xlsx-formulas");
    const [mark, line] = [
      rowsOf(page).first().locator("mark").first(),
      rowsOf(page).first().locator(".about"),
    ];
    const [markBox, lineBox] = [(await mark.boundingBox())!, (await line.boundingBox())!];
    assert.ok(markBox.x + markBox.width <= lineBox.x + lineBox.width, "the first mark is not cut off");
    await page.getByText("Searched for spreadsheet instead of spredsheet.").waitFor();
    await search(page, "fill in a form in a pdf", "pdf-form-filling");

    await preview.getByRole("heading", { name: "pdf-form-filling" }).waitFor();
    await preview.getByText("svc install open-library/pdf-form-filling").waitFor();
    await preview.getByText("When agents use it").waitFor();
    await preview
      .getByText(/about \d+ tokens/)
      .nth(1)
      .waitFor();
    await preview.getByRole("heading", { name: "Files" }).waitFor();
    await preview.getByRole("heading", { name: "Latest versions" }).waitFor();
    await preview.getByText("SKILL.md").waitFor();
    await preview.getByRole("button", { name: "Copy to" }).click();
    const dialog = page.getByRole("dialog", { name: /Copy pdf-form-filling/ });
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await page.waitForURL(`**/${org.slug}/pdf-form-filling`);

    assert.deepEqual([troubles, outside], [[], []]);
  });

  it("narrows by filters that are in the address, with counts of the whole result", async () => {
    const { page } = await dashboard.open("/explore?query=pdf", { user: colleague });
    const filters = page.getByRole("complementary", { name: "Filters" });
    await rowsOf(page).first().waitFor();

    await filters.getByRole("radio", { name: / only/ }).check();
    await page.waitForURL(/scope=mine/);
    await filters.getByRole("radio", { name: /Everywhere/ }).check();
    await filters.getByRole("checkbox", { name: /^pdf/ }).check();
    await page.waitForURL(/tags=pdf/);
    await page.getByRole("button", { name: "pdf", exact: true, pressed: true }).waitFor();
    await filters.getByRole("checkbox", { name: /^open-library/ }).check();
    await page.waitForURL(/tenant=open-library/);
    await filters.getByRole("radio", { name: /Past week/ }).check();
    await page.waitForURL(/updated=7/);
    await page.reload();
    await filters.getByRole("checkbox", { name: /^pdf/, checked: true }).waitFor();
    await filters.getByRole("radio", { name: /Rules/ }).check();
    await page.getByRole("heading", { name: "No skill matches" }).waitFor();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await rowsOf(page).nth(1).waitFor();
  });

  it("says when nothing matches well", async () => {
    const { page } = await dashboard.open("/explore?query=pdf+lasagna+zeppelin+moonlight", {
      user: colleague,
    });
    await page.getByText("No skill matches well. These are the nearest ones:").waitFor();
    await rowsOf(page).first().waitFor();
  });

  it("compares the descriptions of two skills that compete, from the palette too", async () => {
    const { page } = await dashboard.open("/explore?query=notes+of+a+release+from+pull+requests", {
      user: colleague,
    });
    await page.getByRole("button", { name: "Compare their descriptions" }).click();
    const compared = page.getByRole("dialog", { name: "Two descriptions compared" });
    await compared.getByRole("heading", { name: `${org.slug}/release-announcement` }).waitFor();
    assert.ok((await compared.locator("mark").count()) > 0);
    await assertAccessible(page, "compared descriptions");
    await page.keyboard.press("Escape");
    await compared.waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search or jump to" });
    await palette.getByRole("textbox").fill("notes of a release from pull requests");
    await palette.getByText("Writes the notes of a release").first().waitFor();
    await palette.getByText("Two skills compete for this").click();
    await compared.waitFor();
  });

  it("opens the skill's page at once where there is no room for a preview", async () => {
    const { page } = await dashboard.open("/explore?query=pdf+form", { user: colleague, width: 1100 });
    await rowsOf(page).first().click();
    await page.waitForURL("**/pdf-form-filling");
  });

  it("has no accessibility problems in both schemes, narrow, wide and very wide", async () => {
    const { page } = await dashboard.open("/explore?query=fill+in+a+form+in+a+pdf", { user: colleague });
    await page.getByRole("region", { name: "Preview" }).getByText("Latest versions").waitFor();
    await assertAccessible(page, "explore", undefined, looks);
    await page.goto(`${service.url}/explore`);
    await rowsOf(page).first().waitFor();
    await assertAccessible(page, "explore without words", undefined, looks);
  });
});
