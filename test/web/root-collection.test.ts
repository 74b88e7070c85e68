import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { setUpDashboard } from "../support/web/dashboard.ts";

describe("the settings of administrators", { skip: whyNoBrowser() ?? false }, async () => {
  const dashboard = await setUpDashboard();
  const { service } = dashboard;
  const admin = await service.newUser("chief");

  it("chooses the collection for clients at the root", async () => {
    const { slug } = await service.newOrg(admin);
    const at = `/api/tenants/${slug}/collections`;
    const made = await service.call("POST", at, {
      cookie: admin.cookie,
      body: { name: "Essentials", folderId: null, public: true, skills: [] },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { page, troubles } = await dashboard.open("/admin/settings", { user: admin });
    await page.getByText("No public collection is chosen.").waitFor();
    const choose = async (value: string) => {
      await page.getByRole("button", { name: /the collection|a collection/ }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Public collection" }).fill(value);
      await dialog.getByRole("textbox", { name: "Reason" }).fill("For everyone");
      await dialog.getByRole("button", { name: "Save" }).click();
      return dialog;
    };

    const refused = await choose(`${slug}/missing`);
    await refused.getByText(/is not a public collection/).waitFor();
    await refused.getByRole("textbox", { name: "Public collection" }).fill(`${slug}/essentials`);
    await refused.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("main")
      .getByRole("link", { name: `${slug}/essentials` })
      .waitFor();
    const settings = await service.call<{ rootCollection: string }>("GET", "/api/admin/settings", admin);
    assert.equal(settings.data.rootCollection, `${slug}/essentials`);

    await choose("");
    await page.getByText("No public collection is chosen.").waitFor();
    assert.equal(troubles.length, 1, "the refusal alone");
  });
});
