/** A skill's text in a real browser: as on code hosts, with diagrams in a frame that can reach nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const text = `# Release

- [x] build
- [ ] publish

| step | who |
| ---- | --- |
| draft | author |

> [!WARNING]
> Not on Fridays.

Tagged[^tag]. See [the steps](#steps).

[^tag]: By CI.

\`\`\`ts
export const answer = 16;
\`\`\`

## Steps

\`\`\`mermaid
graph TD
  A[read] --> B[check]
\`\`\`

\`\`\`mermaid
this is no diagram
\`\`\`
`;

describe("a skill's text in the dashboard", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const newSkill = (name: string, content: string) =>
    publishSkill(service, org, owner, { name, content, visibility: "public" });
  await newSkill("Release", text);
  await newSkill(
    "Hostile",
    `\`\`\`mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\ngraph TD\n  A["<img src=x onerror='parent.postMessage({kind: \\"drawn\\", width: 1e9, height: 1}, \\"*\\")'>"] --> B\n  click B href "javascript:alert(1)"\n\`\`\`\n`,
  );
  await service.settled();
  const frameOf = async (page: Page) => {
    const element = await page.locator(".diagram iframe").first().elementHandle();
    const frame = await element.contentFrame();
    assert.ok(frame);
    return frame;
  };

  it("has one title, links to headings, tasks, callouts, footnotes, and code to copy", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/release`, { user: owner });
    await page.getByRole("heading", { level: 2, name: "Release" }).waitFor();
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
    assert.equal(await page.getByRole("checkbox", { name: "Done" }).isChecked(), true);
    assert.equal(await page.getByRole("checkbox", { name: "To do" }).isChecked(), false);
    await page.getByRole("note").getByText("Not on Fridays.").waitFor();
    await page.getByRole("columnheader", { name: "who" }).waitFor();

    await page.getByRole("link", { name: "Footnote 1", exact: true }).click();
    assert.match(page.url(), /#h-fn--1$/);
    await page.getByRole("link", { name: "Back to the text of footnote 1" }).click();
    assert.match(page.url(), /#h-fnref--1$/);
    await page.getByRole("link", { name: "the steps" }).click();
    assert.match(page.url(), /#h-steps$/);
    assert.equal(await page.getByRole("link", { name: "Link to Steps" }).getAttribute("href"), "#h-steps");

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".code-box").first().hover();
    await page.getByRole("button", { name: "Copy code" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), "export const answer = 16;\n");
    assert.deepEqual(troubles, []);
  });

  it("draws diagrams in a frame without an origin, and shows the code of those it can't", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/release`, { user: owner });
    await page.locator(".diagram").last().scrollIntoViewIfNeeded();
    await page.locator('.diagram[data-state="drawn"]').waitFor();
    await page.getByText("This diagram can't be drawn.").waitFor();
    await page.getByText("this is no diagram").waitFor();
    const frame = await frameOf(page);
    assert.match((await frame.locator("svg").textContent())!, /read[^]*check/);
    assert.equal(await frame.evaluate("self.origin"), "null");
    await assertAccessible(page, "text with a diagram");
    assert.deepEqual(troubles, []);
    assert.equal(
      await frame.evaluate("fetch('/api/user/session').then(() => 'sent', () => 'refused')"),
      "refused",
    );
    assert.equal(await page.locator("main svg .node").count(), 0, "nothing of the drawing is in the page");
  });

  it("keeps scripts and links of a diagram from doing anything", async () => {
    const { page } = await dashboard.open(`/${org.slug}/hostile`, { user: owner });
    await page.locator(".diagram, .code-box").first().waitFor();
    await until("the diagram to be drawn or refused", async () => {
      const drawn = await page.locator('.diagram[data-state="drawn"]').count();
      return drawn + (await page.getByText("This diagram can't be drawn.").count()) > 0;
    });
    if ((await page.locator(".diagram").count()) > 0) {
      const frame = await frameOf(page);
      assert.equal(await frame.locator("img, script:not([src]), a[href^=javascript]").count(), 0);
      const box = await page.locator(".diagram iframe").boundingBox();
      assert.ok(box!.width < 3000 && box!.height < 5000);
    }
    assert.equal(new URL(page.url()).pathname, `/${org.slug}/hostile`);
  });

  it("loads Mermaid for texts with diagrams only", async () => {
    await newSkill("Plain", "# Plain\n\nText.\n");
    await service.settled();
    const { page } = await dashboard.newPage({ user: owner });
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(`${service.url}/${org.slug}/plain`);
    await page.getByRole("heading", { level: 2, name: "Plain" }).waitFor();

    assert.deepEqual(
      loaded.filter((url) => url.includes("diagram")),
      [],
    );
  });
});
