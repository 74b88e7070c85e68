/** The storage of an organization on its settings and on the page of administrators. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countStorage } from "../../workers/orgs/count-storage.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard, type Look } from "../support/web/dashboard.ts";

const looks: readonly Look[] = [390, 1440].flatMap((width) => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);

describe("the storage of an organization", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const { app } = service;
  const dashboard = await setUpDashboard(service);

  it("is shown with its limit, which an administrator of the service changes", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/settings`, { user: owner });
    const storage = page.getByRole("region", { name: "Storage" });
    await storage.getByText("Not counted yet.").waitFor();
    await publishSkill(service, org, owner, { name: "First" });
    await service.settled();
    await countStorage(app, org.id);
    app.config.organizationStorageBytes = 600;
    await page.reload();
    await storage.getByText(/used of 600 bytes/).waitFor();
    await assertAccessible(page, "storage settings", storage, looks);

    app.config.organizationStorageBytes = 1;
    await countStorage(app, org.id);
    await page.goto(`${service.url}/`);
    await page.getByText(/of its 1 bytes of storage/).waitFor();
    await page.goto(`${service.url}/${org.slug}/-/settings`);
    await storage.getByText("New skills and versions are refused.").waitFor();
    await assertAccessible(page, "storage full", storage, looks);

    await page.goto(`${service.url}/admin/organizations`);
    const open = page.getByRole("button", { name: `Limit the storage of ${org.slug}` });
    await open.waitFor();
    await assertAccessible(page, "storage admin", open, looks);
    await open.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Limit in MB").fill("2048");
    await dialog.getByLabel("Reason").fill("The contract.");
    await assertAccessible(page, "storage dialog", dialog, looks);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page
      .getByText(/of 2\.0 GB/)
      .last()
      .waitFor();
    assert.deepEqual(troubles, []);
  });
});
