/** Second factors in a browser with a virtual authenticator: enrol, sign in, be required to. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { totpCode } from "../mfa/fixture.ts";
import {
  accessibilityProblems,
  newPage,
  releaseBrowser,
  sharedBrowser,
  sidewaysOverflow,
  whyNoBrowser,
  type WatchedPage,
} from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const password = "correct horse battery";

/** An authenticator that verifies its user, as the one of a laptop does. */
async function addAuthenticator({ page, context }: WatchedPage): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describe("second factors in a browser", { skip: whyNoBrowser() }, async () => {
  const { service } = await setUpService();
  // Browsers offer passkeys at names only.
  const url = service.url.replace("127.0.0.1", "localhost");
  service.app.config.baseUrl = url;
  const { owner, org } = await newOrganization(service);
  const member = await newMember(service, org, "member");
  const browser = await sharedBrowser();
  const watched = await newPage(browser, url, { user: owner });
  const page = watched.page;
  await addAuthenticator(watched);

  after(async () => {
    if (browser) await releaseBrowser(browser);
  });

  async function looksRight(name: string): Promise<void> {
    for (const width of [1440, 360])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await accessibilityProblems(page), [], `${name}, ${width}, ${colorScheme}`);
        assert.ok((await sidewaysOverflow(page)) <= 0, `${name} scrolls sideways at ${width}`);
      }
    await page.setViewportSize({ width: 1024, height: 768 });
  }

  it("adds a passkey, which comes with recovery codes", async () => {
    await page.goto(`${url}/settings/security`);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name").fill("Laptop");
    await page.getByRole("button", { name: "Continue" }).click();
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();

    assert.equal(await codes.count(), 10);
    await looksRight("recovery codes");
    // By the keyboard: after changes of the window's size, Chromium has once sent clicks to the page behind the dialog.
    await page.getByRole("button", { name: "I have kept them" }).press("Enter");
    await page.getByRole("list", { name: "Passkeys" }).getByText("Laptop").waitFor();
    await looksRight("security settings");
  });

  it("adds an authenticator app by the key next to its QR code", async () => {
    await page.getByRole("button", { name: "Add an app" }).click();
    const image = page.getByAltText("QR code with the key below");
    await image.waitFor();
    assert.ok((await image.evaluate((one) => Number(Reflect.get(one, "naturalWidth")))) > 0);
    const text = await page.getByRole("dialog").innerText();
    const secret = /\b[A-Z2-7]{32}\b/.exec(text)![0];
    await page.getByLabel("Code", { exact: false }).last().fill(totpCode(secret, new Date()));
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Asked for after the password").waitFor();
  });

  it("signs in with the passkey alone, by the script of the sign-in page", async () => {
    await watched.context.clearCookies();
    await page.goto(`${url}/sign-in?return_to=/settings/security`);
    // The authenticator answers the autofill of the address field at once.
    await page.waitForURL(`${url}/settings/security`);
    await page.getByRole("list", { name: "Passkeys" }).getByText("Last used").waitFor();
  });

  it("asks who the user is before a change, once the sign-in is ten minutes old, and goes on with it", async () => {
    const sessions = service.app.storage.database.raw.collection("sessions");
    await sessions.updateMany({}, { $set: { verifiedAt: new Date(Date.now() - 11 * 60_000) } });
    await page.getByRole("button", { name: "Generate new codes" }).click();
    const question = page.getByRole("dialog", { name: "Make new recovery codes?" });
    const renew = question.getByRole("button", { name: "Generate new codes" });
    await renew.click();
    const dialog = page.getByRole("dialog", { name: "Confirm it is you" });
    await dialog.waitFor();
    await looksRight("confirmation");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await renew.click();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    await page.getByRole("button", { name: "I have kept them" }).press("Enter");
  });

  it("asks for a factor after the password", async () => {
    await watched.context.clearCookies();
    const answer = await page.request.post(`${url}/sign-in`, {
      multipart: { email: `${owner.username}@example.com`, password, return_to: "/settings/security" },
      headers: { origin: url },
    });
    assert.match(await answer.text(), /Password accepted/);
  });

  it("requires a factor of an organization's members, who enrol or leave", async () => {
    await page.goto(`${url}/sign-in?return_to=/${org.slug}/-/security`);
    await page.waitForURL(`${url}/${org.slug}/-/security`);
    await page.getByText("1 of 2 members has no second factor.").waitFor();
    await looksRight("organization security");
    await page.getByRole("switch", { name: "Require a second factor of all members" }).click();
    const form = page.getByRole("form", { name: "Second factor" });
    await form.getByLabel("Days of grace").fill("0");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();

    const other = await newPage(browser, url, { user: member });
    await other.page.goto(`${url}/${org.slug}/-/people`);
    await other.page.getByRole("heading", { name: "A second factor is required" }).waitFor();
    assert.deepEqual(await accessibilityProblems(other.page), []);
    await other.page.getByRole("button", { name: "Leave the organization" }).click();
    await other.page.getByRole("button", { name: "Leave", exact: true }).click();
    await other.page.waitForURL(`${url}/`);
    const left = await service.call("GET", `/api/tenants/${org.slug}`, { token: member.token });
    assert.equal(left.status, 404);
    await other.context.close();
  });
});
