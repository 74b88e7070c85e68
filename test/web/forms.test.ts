/** Forms in a real browser: problems under their fields, in pages with and without the dashboard. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("forms", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);

  it("of a sign-up name their problems under the fields, show the password and rate it", async () => {
    const { page, troubles } = await dashboard.open("/sign-up");
    assert.equal(await page.getByRole("link", { name: "Sign in" }).count(), 1, "one link to the sign-in");
    const name = page.getByLabel("Your name");
    assert.equal(await name.evaluate((field) => field === field.ownerDocument.activeElement), true);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Fill in “Your name”.").waitFor();
    await page.getByText("Fill in “Password”.").waitFor();
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    await assertAccessible(page, "sign-up with problems");
    await name.fill("Ada Byrne");
    await page.getByText("Fill in “Your name”.").waitFor({ state: "detached" });
    await page.getByLabel("User name").fill("ada-byrne");
    await page.getByLabel("E-mail").fill("ada");
    const password = page.getByLabel("Password");
    await password.fill("ada-byrne-ada-byrne");
    await page.getByText("Strength: weak, it contains your name").waitFor();
    await password.fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Enter an address such as ada@example.com.").waitFor();
    await page.getByText("Use at least 12 characters. This has 5.").waitFor();
    await page.getByLabel("E-mail").fill("ada@example.org");
    await password.fill("correct horse battery staple");
    await page.getByText("Strength: strong").waitFor();
    await page.getByRole("button", { name: "Show" }).click();
    assert.equal(await password.getAttribute("type"), "text");
    await assertAccessible(page, "sign-up");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(`${service.url}/`);
    assert.deepEqual(troubles, []);
  });

  it("of the dashboard name their problems under the fields until they are corrected", async () => {
    const { page, troubles } = await dashboard.open("/settings/profile", { user: owner });
    const name = page.getByRole("textbox", { name: /^Name/ });
    await name.fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Fill in this field.").waitFor();
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    assert.equal(await name.evaluate((field) => field === field.ownerDocument.activeElement), true);
    await assertAccessible(page, "profile with a problem");
    await name.fill("Ada");
    await page.getByText("Fill in this field.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("of the dashboard rate a new password by the rule of the sign-up", async () => {
    const { page, troubles } = await dashboard.open("/settings/account", { user: owner });
    const form = page.getByRole("form", { name: "Change password" });
    const password = form.getByLabel(/^New password/);
    const rated = async (typed: string, rating: string) => {
      await password.fill(typed);
      await form.getByRole("status").getByText(`Strength: ${rating}`, { exact: true }).waitFor();
    };
    await rated("short", "too short, 7 more");
    await rated(`${owner.username}-${owner.username}`, "weak, it contains your name");
    await rated("abababababab", "weak, few different characters");
    await rated("correct horse battery staple", "strong");
    await assertAccessible(page, "a rated password");
    assert.deepEqual(troubles, []);
  });
});
