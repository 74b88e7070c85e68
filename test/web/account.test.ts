/** Home, the settings and the sign-in over a page in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newPage, whyNoBrowser } from "../support/browser.ts";
import { setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();
const password = "correct horse battery";
const email = "noor@example.com";

describe("the pages of an account", { skip: reason ?? false }, async () => {
  const dashboard = await setUpDashboard();

  const { service } = dashboard;
  const body = { email, password, name: "<img src=x onerror=alert(1)>", username: "noor" };
  const made = await service.raw("POST", "/api/auth/sign-up", { body, headers: { origin: service.url } });
  assert.equal(made.status, 201);
  const [session] = made.headers.getSetCookie()[0]!.split(";");
  const user = { id: "", username: "noor", cookie: session!, token: "" };
  const { page, troubles } = await newPage(dashboard.browser, service.url, { width: 1440, user });

  const go = async (path: string, heading: string) => {
    await page.goto(service.url + path);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  };

  it("lead from an empty Home to an organization and its first steps", async () => {
    await go("/", "Welcome");
    await page.getByRole("link", { name: "New organization" }).click();
    await page.getByLabel("Name").fill("Lumen Lab");
    assert.equal(await page.getByLabel("Slug").inputValue(), "lumen-lab");
    await page.getByRole("button", { name: "Create organization" }).click();
    await page.waitForURL("**/lumen-lab/-/library");
    await go("/", "Home");
    troubles.length = 0;
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
    assert.deepEqual(troubles, []);
  });

  it("create a narrow token, show it once and revoke it", async () => {
    await go("/settings/tokens", "Tokens");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name").fill("pipeline");
    await page.getByLabel("Skills: update").check();
    await page.getByText("reads and updates skills, until").waitFor();
    await page.getByRole("button", { name: "Create token" }).click();
    const secret = await page.getByLabel("Token", { exact: true }).innerText();
    const skills = await service.call("GET", "/api/skills", { token: secret.trim() });
    assert.equal(skills.status, 200);
    await page.keyboard.press("Escape");
    await page.getByText("You have not copied the token.").waitFor();
    await page.getByRole("button", { name: "Close without copying" }).click();
    await page.getByRole("button", { name: "Revoke pipeline" }).click();
    await page.getByRole("button", { name: "Revoke token" }).click();
    await page.getByRole("heading", { name: "No tokens yet" }).waitFor();
    const refused = await service.raw("GET", "/api/skills", { token: secret.trim() });
    assert.equal(refused.status, 401);
    assert.deepEqual(troubles, []);
  });

  it("mark the current session, and end the others", async () => {
    const headers = { origin: service.url, "user-agent": "Mozilla/5.0 (X11; Linux) Firefox/130.0" };
    const other = await service.raw("POST", "/api/auth/sign-in", { body: { email, password }, headers });
    const cookie = other.headers.getSetCookie()[0]!.split(";")[0]!;
    await go("/settings/security", "Security");
    await page.getByText("This session").waitFor();
    await page.getByRole("button", { name: "End other sessions" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End other sessions" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await service.raw("GET", "/api/user/profile", { cookie })).status, 401);
    assert.equal((await service.raw("GET", "/api/user/profile", { cookie: user.cookie })).status, 200);
  });

  it("show a field's problem, keep what was typed, and never run a name as HTML", async () => {
    await go("/settings/profile", "Profile");
    await page.getByLabel("User name").fill("Not A Name");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be lower-case letters", { exact: false }).waitFor();
    assert.equal(await page.getByLabel("User name").inputValue(), "Not A Name");
    assert.equal(await page.locator("main img").count(), 0);
    troubles.length = 0;
  });

  it("sign the user in over the page when the session has ended, and go on with the request", async () => {
    await go("/settings/profile", "Profile");
    await page.getByRole("textbox", { name: /^Name/ }).fill("Noor Amari");
    await service.raw("POST", "/api/auth/sign-out", {
      cookie: user.cookie,
      headers: { origin: service.url },
    });
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByRole("textbox", { name: "Password" }).fill("not the password");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("is not right").waitFor();
    await dialog.getByRole("textbox", { name: "Password" }).fill(password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Saved.").waitFor();
    const [cookie] = await page.context().cookies();
    user.cookie = `${cookie!.name}=${cookie!.value}`;
    const profile = await service.call("GET", "/api/user/profile", { cookie: user.cookie });
    assert.equal(profile.data["name"], "Noor Amari");
  });

  it("ask a visitor to sign in, and return to the page", async () => {
    const visitor = await dashboard.open("/settings/tokens");
    await visitor.page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await visitor.page.getByLabel("E-mail").fill(email);
    await visitor.page.getByLabel("Password").fill(password);
    await visitor.page.getByRole("button", { name: "Sign in" }).click();
    await visitor.page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
    assert.equal(new URL(visitor.page.url()).pathname, "/settings/tokens");
  });
});
