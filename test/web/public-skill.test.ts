/** The page of a public skill, as a visitor sees it, and the badge that its editors copy. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const content = `---
name: pdf-forms
description: Fill in PDF files. Use when the user asks to fill in a form.
license: Apache-2.0
---

# PDF forms

## When to use

- Use this when a **PDF** has <b>fields</b>.

\`\`\`
Use it when nobody looks.
\`\`\`
`;

describe("the page of a public skill", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  for (const text of [content, `${content}\nMore.\n`])
    await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "pdf-forms", visibility: "public", content: text },
    });
  await service.settled();
  const path = `/${org.slug}/pdf-forms`;

  it("says to a visitor when agents use it, its licence, cost and versions", async () => {
    const { page, troubles } = await dashboard.open(path);
    const uses = page.getByRole("region", { name: "When agents use it" });
    await uses.waitFor();

    assert.deepEqual(await uses.getByRole("listitem").allInnerTexts(), [
      "Use when the user asks to fill in a form.",
      "Use this when a PDF has <b>fields</b>.",
    ]);
    const about = page.getByRole("complementary", { name: "About this skill" });
    await about.getByText("Apache-2.0").waitFor();
    await about
      .getByText(/^about \d+ tokens$/)
      .first()
      .waitFor();
    await about.getByText(/^Maintained since \w+ \d{4} · 0 downloads$/).waitFor();
    await about.getByRole("link", { name: "1.0.0" }).click();
    await page.waitForURL(`**${path}?version=1.0.0`);
    await assertAccessible(page, "a public skill");
    assert.deepEqual(troubles, []);
  });

  it("offers its badge to those who may edit it, and not to others", async () => {
    const { page, troubles } = await dashboard.open(path, { user: owner });
    await page.getByRole("button", { name: "Share" }).click();
    const picture = page.getByRole("img", { name: `Badge of ${org.slug}/pdf-forms` });
    await picture.waitFor();
    const badge = `${service.url}${path}/badge.svg`;
    await page.getByText(`[![${org.slug}/pdf-forms](${badge})](${service.url}${path})`).waitFor();
    await assertAccessible(page, "the badge");
    assert.deepEqual(troubles, []);

    const visitor = await dashboard.open(path);
    await visitor.page.getByRole("button", { name: "Share" }).click();
    await visitor.page.getByText("Command that installs it").waitFor();
    assert.equal(await visitor.page.getByText("Badge for a readme").count(), 0);
  });
});
