/**
 * The page of single sign-on in a real browser: a domain from its claim to its removal, auto-join, and a provider by
 * OpenID Connect.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { setUpDomains } from "../sso-domains/fixture.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the page of single sign-on", { skip: whyNoBrowser() ?? false }, async () => {
  const fixture = await setUpDomains({ ssoPrivateNetwork: true });
  const dashboard = await setUpDashboard(fixture.service);
  let web: Server | undefined;
  after(() => web?.close());
  /** A server with a discovery document. Returns its issuer. */
  const startIssuer = async () => {
    const served = createServer((_, response) => response.end(JSON.stringify({ issuer })));
    web = served;
    await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(served.address() as AddressInfo).port}`;
    return issuer;
  };
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

  it("adds a provider by OpenID Connect, and keeps its secret when the client id changes", async () => {
    const { service, org, owner } = fixture;
    const issuer = await startIssuer();
    const { page, troubles } = await dashboard.open(at(), { user: owner });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add provider" }).click();
    await dialog.getByText("OpenID Connect", { exact: true }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Keycloak");
    await dialog.getByRole("button", { name: "Add provider" }).click();
    await page.getByRole("heading", { name: "Keycloak", level: 1 }).waitFor();
    const stored = async () => (await service.app.storage.ssoProviders.list(org.id))[0]!;
    const { _id } = await stored();
    await page.getByText(`${service.url}/sso/${_id}/callback`, { exact: true }).waitFor();
    await assertAccessible(page, "an OpenID Connect provider without a connection");

    await page.getByRole("button", { name: "Enter connection" }).click();
    const save = dialog.getByRole("button", { name: "Save" });
    await dialog.getByRole("textbox", { name: "Issuer" }).fill(`${issuer}/`);
    await dialog.getByRole("textbox", { name: "Client ID" }).fill("svc");
    assert.ok(await save.isDisabled(), "the secret is missing");
    await dialog.getByLabel("Client secret", { exact: true }).fill("s3cret-of-the-client");
    await save.click();
    await dialog.getByRole("alert").getByText(`"${issuer}"`).waitFor();
    await assertAccessible(page, "another issuer than that of the discovery document");
    await dialog.getByRole("textbox", { name: "Issuer" }).fill(issuer);
    await save.click();
    await dialog.waitFor({ state: "detached" });
    const { sealedSecret } = (await stored()).oidc!;
    assert.ok(!(await page.content()).includes("s3cret"));

    await page.getByRole("region", { name: "Connection" }).getByRole("button", { name: "Change" }).click();
    await dialog.getByRole("textbox", { name: "Client ID" }).fill("svc-2");
    await save.click();
    await page.getByRole("region", { name: "Connection" }).getByText("svc-2").waitFor();
    assert.deepEqual((await stored()).oidc, { issuer, clientId: "svc-2", sealedSecret });
    await assertAccessible(page, "an OpenID Connect provider");
    assert.deepEqual(
      troubles.filter((trouble) => !/422/.test(trouble)),
      [],
    );
  });

  it("is for owners only", async () => {
    const { service, org } = fixture;
    const { page } = await dashboard.open(at(), { user: await newMember(service, org, "admin") });
    await page.getByText("This page requires the permission").waitFor();
    assert.equal(await page.locator(`a[href="${at()}"]`).count(), 0);
  });
});
