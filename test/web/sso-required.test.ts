/** An organization that requires its identity provider, in the browser of a member who has signed in with password. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  accessibilityProblems,
  newPage,
  releaseBrowser,
  sharedBrowser,
  sidewaysOverflow,
  whyNoBrowser,
} from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { newProvider } from "../support/sso/fixture.ts";

describe("a required sign-in through an identity provider", { skip: whyNoBrowser() }, async () => {
  const { service } = await setUpService();
  const { owner, org } = await newOrganization(service);
  const member = await newMember(service, org, "member");
  const { id } = await newProvider(service, org, owner);
  // As its enforcement does, which needs a verified domain and a successful sign-in.
  const { raw } = service.app.storage.database;
  await raw.collection("tenants").updateOne({ slug: org.slug }, { $set: { ssoProviderIds: [id] } });
  await raw
    .collection("memberships")
    .updateOne({ userId: member.id }, { $set: { tenantSsoProviderIds: [id] } });
  const browser = await sharedBrowser();
  const watched = await newPage(browser, service.url, { user: member });

  after(() => releaseBrowser(browser));

  it("is explained in place of each page, and leads to the provider with the way back", async () => {
    const { page } = watched;
    await page.goto(`${service.url}/${org.slug}/-/people?role=admin`);
    await page.getByRole("heading", { name: "Sign in with single sign-on" }).waitFor();
    for (const width of [1440, 360])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await accessibilityProblems(page), [], `${width}, ${colorScheme}`);
        assert.ok((await sidewaysOverflow(page)) <= 0, `it scrolls sideways at ${width}`);
      }
    const link = page.getByRole("link", { name: "Sign in with single sign-on" });
    const back = encodeURIComponent(`/${org.slug}/-/people?role=admin`);
    assert.equal(await link.getAttribute("href"), `/sso/${org.slug}?return_to=${back}`);
    assert.ok(await page.getByRole("button", { name: "Leave the organization" }).isVisible());

    assert.equal(await page.getByText("As an owner").count(), 0);
  });

  it("can be replaced by an owner's second factor, which a member is not offered", async () => {
    const { page } = watched;
    await raw.collection("memberships").updateOne({ userId: member.id }, { $set: { role: "owner" } });
    await page.reload();
    const add = page.getByRole("link", { name: "Add a second factor" });
    assert.equal(await add.getAttribute("href"), "/settings/security");
    await raw.collection("users").updateOne({ _id: member.id as never }, { $set: { hasFactor: true } });
    await page.reload();
    await page.getByRole("button", { name: "Use my second factor" }).click();
    await page.getByRole("dialog", { name: "Confirm it is you" }).waitFor();
  });
});
