/** The page of single sign-on in a real browser: a domain from its claim to its removal, and auto-join. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startDomains, type Fixture } from "../sso-domains/fixture.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { assertAccessible, useDashboard } from "../support/web/dashboard.ts";

describe("the page of single sign-on", { skip: whyNoBrowser() ?? false }, () => {
  let fixture: Fixture;
  const dashboard = useDashboard(async () => (fixture = await startDomains()));
  const at = () => `/${fixture.org.slug}/-/sso`;

  it("claims a domain, verifies it once its record is found, and lets people join by it", async () => {
    const { service, org, owner, zone } = fixture;
    const { page, troubles, outside } = await dashboard.open(at(), { user: owner });
    await page.getByText("Verify a domain first").waitFor();
    await assertAccessible(page, "no domains");

    const domains = page.getByRole("region", { name: "Domains" });
    await domains.getByRole("textbox", { name: "Domain" }).fill("gmail.com");
    await domains.getByRole("button", { name: "Add domain" }).click();
    await domains.getByText(/gives addresses to anyone/).waitFor();
    await domains.getByRole("textbox", { name: "Domain" }).fill("Acme.com");
    await domains.getByRole("button", { name: "Add domain" }).click();
    await domains.getByText("not verified").waitFor();
    await domains.getByText("_svc-challenge.acme.com", { exact: true }).waitFor();
    const [claim] = await service.app.storage.ssoDomains.list(org.id);
    await domains.getByText(claim!.challenge, { exact: true }).waitFor();

    const check = domains.getByRole("button", { name: "Check the record of acme.com" });
    await check.click();
    await domains
      .getByText(/has no TXT record yet/)
      .first()
      .waitFor();
    await assertAccessible(page, "a domain without its record");
    zone.set("_svc-challenge.acme.com", [[claim!.challenge]]);
    await check.click();
    await domains.getByText("verified", { exact: true }).waitFor();

    const autoJoin = page.getByRole("region", { name: "Auto-join" });
    await autoJoin.getByRole("switch", { name: "Let people join automatically" }).check();
    await autoJoin.getByRole("combobox", { name: "Role of those who join" }).click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await assertAccessible(page, "auto-join");
    await autoJoin.getByRole("button", { name: "Save" }).click();
    await autoJoin.getByText("Saved.").waitFor();
    assert.deepEqual((await service.app.storage.tenants.find(org.id))?.autoJoin, { role: "viewer" });

    await domains.getByRole("button", { name: "Remove acme.com" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/no one joins by one/).waitFor();
    await assertAccessible(page, "the removal of a domain");
    await dialog.getByRole("button", { name: "Remove domain" }).click();
    await autoJoin.getByText(/no one joins until you verify a domain/).waitFor();
    // The refused domain, and the record that was missing.
    assert.deepEqual(
      troubles.filter((trouble) => !trouble.includes("422 (Unprocessable Entity)")),
      [],
    );
    assert.deepEqual(outside, []);
  });

  it("is for owners only", async () => {
    const { service, org } = fixture;
    const { page } = await dashboard.open(at(), { user: await newMember(service, org, "admin") });
    await page.getByText("This page requires the permission").waitFor();
    assert.equal(await page.locator(`a[href="${at()}"]`).count(), 0);
  });
});
