/**
 * Identity of a company in a real browser: an owner sets up single sign-on with a test, verifies a domain and requires
 * it; a new person signs in and is in the right team; SCIM deactivates the person, whose accesses end; and the audit
 * log shows it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { totpCode } from "../mfa/fixture.ts";
import { patchOp, providerOf } from "../scim/fixture.ts";
import { setUpDomains, type Fixture } from "../sso-domains/fixture.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { openCli } from "../support/cli.ts";
import { callOk, openModernClient } from "../support/mcp/client.ts";
import { plainGitEnv } from "../support/native-git.ts";
import { confirmAddress, newFolder, publishSkill } from "../support/organization.ts";
import { closedAfter } from "../support/set-up.ts";
import { samlSettings } from "../support/sso/fixture.ts";
import { startProviderServer } from "../support/sso/provider-pages.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("identity of a company", { skip: whyNoBrowser() ?? false }, async () => {
  const fixture = await setUpDomains({ ssoPrivateNetwork: true });
  const { service, org, owner, zone } = fixture;
  const dashboard = await setUpDashboard(service);
  const at = (rest = "") => `/${org.slug}/-/sso${rest}`;
  const idp = await closedAfter(startProviderServer({ email: "boss@acme.com", groups: ["Engineers"] }));
  await confirmAddress(service, owner);
  await newFolder(service, org, owner, "release");
  await publishSkill(service, org, owner, { name: "notes", folder: "release", visibility: "private" });
  const team = await service.call("POST", `/api/tenants/${org.id}/teams`, {
    token: owner.token,
    body: { name: "Engineering" },
  });
  assert.equal(team.status, 201);
  owner.cookie = await addFactor(fixture);
  await service.settled();

  it("is set up with a test sign-in, required, used by a new person, and ended by SCIM", async (t) => {
    await setUp();
    const person = await signInAsNewPerson();
    await endAccess(t, person);
    await readAuditLog();
  });

  async function setUp(): Promise<void> {
    const { page, context, troubles } = await dashboard.open(at(), { user: owner });
    await page.getByText("No provider yet.").waitFor();
    await page.getByRole("button", { name: "Add provider" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Acme");
    await assertAccessible(page, "a new provider");
    await dialog.getByRole("button", { name: "Add provider" }).click();
    await page.getByRole("heading", { name: "Acme", level: 1 }).waitFor();
    const [provider] = await service.app.storage.ssoProviders.list(org.id);
    await page.getByText(`${service.url}/sso/${provider!._id}/acs`, { exact: true }).waitFor();
    await page.locator("main").getByText("not connected", { exact: true }).waitFor();
    assert.ok(await page.getByRole("button", { name: "Prepare test" }).isDisabled());
    assert.ok(await page.getByRole("switch", { name: "Enabled" }).isDisabled());
    for (const kind of ["Entra ID", "Google", "Keycloak", "Other"])
      await page.getByText(kind, { exact: true }).click();
    await assertAccessible(page, "a provider without a connection");

    await page.getByRole("button", { name: "Enter connection" }).click();
    await assertAccessible(page, "a connection by its metadata");
    await dialog.getByText("Fields", { exact: true }).click();
    const { entityId, ssoUrl, certificates } = samlSettings(idp.ssoUrl);
    await dialog.getByRole("textbox", { name: "Entity ID of the provider" }).fill(entityId);
    await dialog.getByRole("textbox", { name: "Single sign-on URL" }).fill(ssoUrl);
    await dialog.getByRole("textbox", { name: "Certificates" }).fill("no certificate");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("textbox", { name: "Certificates" }).fill(certificates[0]!);
    await assertAccessible(page, "a connection by its fields");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator("main").getByText("disabled", { exact: true }).waitFor();
    await assertAccessible(page, "a provider");

    await page.getByRole("button", { name: "Prepare test" }).click();
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Sign in in a new tab" }).click();
    const tab = await opened;
    await tab.getByRole("heading", { name: "The test sign-in passed" }).waitFor();
    await tab.close();
    const test = page.getByRole("region", { name: "Test sign-in" });
    await test.getByText(/could not sign in:/).waitFor();
    await test.getByRole("table", { name: "Checks of the response" }).waitFor();
    assert.equal(await test.getByText("failed", { exact: true }).count(), 0);
    await test.getByText("Engineers").first().waitFor();
    await assertAccessible(page, "the result of a test");
    await mapGroup();

    await page.goto(service.url + at());
    const domains = page.getByRole("region", { name: "Domains" });
    await domains.getByRole("textbox", { name: "Domain" }).fill("acme.com");
    await domains.getByRole("button", { name: "Add domain" }).click();
    await domains.getByText("not verified").waitFor();
    const [claim] = await service.app.storage.ssoDomains.list(org.id);
    zone.set("_svc-challenge.acme.com", [[claim!.challenge]]);
    await domains.getByRole("button", { name: "Check the record of acme.com" }).click();
    await domains.getByText("verified", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Acme" }).click();
    const state = page.getByRole("region", { name: "Who signs in through it" });
    await state.getByRole("switch", { name: "Enabled" }).click();
    await page.locator("main").getByText("enabled", { exact: true }).waitFor();
    await state.getByRole("switch", { name: "Required" }).click();
    await dialog.getByText(`owners keep access while the provider is down: ${owner.username}`).waitFor();
    await assertAccessible(page, "the consequences of the enforcement");
    await dialog.getByRole("button", { name: "Require single sign-on" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator("main").getByText("enforced", { exact: true }).waitFor();
    // The certificate that was refused.
    assert.deepEqual(
      troubles.filter((trouble) => !/422/.test(trouble)),
      [],
    );

    async function mapGroup() {
      const mappings = page.getByRole("region", { name: "Groups and teams" });
      await mappings.getByRole("textbox", { name: "Group" }).fill("Engineers");
      await mappings.getByRole("combobox", { name: "Team" }).click();
      await page.getByRole("option", { name: "Engineering" }).click();
      await mappings.getByRole("button", { name: "Add group" }).click();
      await mappings.getByRole("cell", { name: "Engineering" }).waitFor();
      await assertAccessible(page, "a mapped group");
    }
  }

  async function signInAsNewPerson() {
    const { page, context } = await dashboard.newPage();
    idp.person = { email: "ada@acme.com", groups: ["Engineers"] };
    await page.goto(`${service.url}/sso/${org.slug}?return_to=/${org.slug}/notes`);
    await page.getByRole("heading", { name: "notes", level: 1 }).first().waitFor();
    const account = await service.app.storage.users.findCredentials("ada@acme.com");
    const member = await service.app.storage.memberships.find(org.id, account!._id);
    const teams = await service.app.storage.teams.listByIds(member!.teamIds);
    assert.deepEqual([member!.role, teams.map(({ name }) => name)], ["member", ["Engineering"]]);
    const session = (await context.cookies()).find(({ name }) => name === "svc_session");
    return { page, cookie: `svc_session=${session!.value}` };
  }

  async function endAccess(t: TestContext, { page, cookie }: Awaited<ReturnType<typeof signInAsNewPerson>>) {
    const minted = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie,
      body: { name: "laptop" },
    });
    const { token } = minted.data;
    const home = await mkdtemp(path.join(os.tmpdir(), "svc-story-"));
    t.after(() => rm(home, { recursive: true, force: true }));
    const svc = openCli({ home, apiUrl: () => service.url, cwd: home });
    await svc.json(["login", "--token", token]);
    const agent = await openModernClient(service, token);
    t.after(() => agent.close());
    const uses = {
      session: async () => (await service.call("GET", `/api/tenants/${org.slug}`, { cookie })).status < 300,
      token: async () => (await service.call("GET", `/api/skills/${org.slug}~notes`, { token })).status < 300,
      git: () => canClone(service.url, `${org.slug}/notes`, token),
      client: async () => (await svc.run(["info", `${org.slug}/notes`])).code === 0,
      agent: () =>
        callOk(agent, "read_skill", { skill: `${org.slug}/notes` }).then(
          () => true,
          () => false,
        ),
    };
    const results = async () => {
      const found: Record<string, boolean> = {};
      for (const [name, use] of Object.entries(uses)) found[name] = await use();
      return found;
    };
    const all = (value: boolean) => Object.fromEntries(Object.keys(uses).map((name) => [name, value]));
    const enabled = await service.call<{ baseUrl: string; token: string; formerTokenUntil: null }>(
      "POST",
      `/api/tenants/${org.id}/scim`,
      { cookie: owner.cookie },
    );
    const scim = providerOf(service, org, owner, enabled.data);
    const user = await scim.ok("POST", "/Users", {
      userName: "ada@acme.com",
      emails: [{ value: "ada@acme.com" }],
    });
    assert.deepEqual(await results(), all(true));

    await scim.ok("PATCH", `/Users/${user.id}`, patchOp({ op: "replace", path: "active", value: false }));
    assert.deepEqual(await results(), all(false));
    await page.reload();
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    await page.goto(`${service.url}/sso/${org.slug}`);
    await page.getByText(/\d{4}-\d{4}/).waitFor();
  }

  async function readAuditLog(): Promise<void> {
    await service.settled();
    const { page } = await dashboard.open(at("?view=log"), { user: owner });
    const log = page.getByRole("table", { name: "Sign-ins" });
    await log.getByText("failed", { exact: true }).waitFor();
    await log.getByText("signed in", { exact: true }).waitFor();
    await assertAccessible(page, "the sign-in log");
    await page.goto(`${service.url}/${org.slug}/-/audit`);
    const entries = page.getByRole("table", { name: "Entries of the audit log" });
    for (const action of [
      "sso.provider_created",
      "sso.group_mappings_updated",
      "sso.domain_verified",
      "sso.provider_updated",
      "sso.user_created",
      "organization.member_joined",
      "sso.team_sync",
      "scim.provider_created",
      "scim.user_provisioned",
      "scim.user_deprovisioned",
    ])
      await entries.getByRole("cell", { name: action, exact: true }).first().waitFor();
  }
});

/** Adds an authenticator app to the owner. Returns the cookie of the session. */
async function addFactor({ service, owner, clock }: Fixture): Promise<string> {
  const begun = await service.call<{ secret: string }>("POST", "/api/auth/mfa/totp", {
    cookie: owner.cookie,
  });
  const confirmed = await service.call("POST", "/api/auth/mfa/totp/confirm", {
    cookie: owner.cookie,
    body: { code: totpCode(begun.data.secret, clock.now()) },
  });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  const set = confirmed.headers.getSetCookie().filter((one) => one.startsWith("svc_session="));
  return set.at(-1)?.split(";")[0] ?? owner.cookie;
}

/** Runs git asynchronously, since this process serves it. */
function canClone(base: string, skill: string, token: string): Promise<boolean> {
  const url = Object.assign(new URL(`/${skill}.git`, base), { username: "anybody", password: token });
  return new Promise((resolve) => {
    execFile("git", ["ls-remote", url.href], { env: plainGitEnv }, (error) => resolve(error === null));
  });
}
