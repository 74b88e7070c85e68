/**
 * Sign-in through an identity provider on another origin, from every page that leads to it. Chromium applies the
 * `form-action` policy of a page to the redirects that follow its form, so only a browser shows where a form leads.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { makeFixture } from "../orgs/fixture.ts";
import { releaseBrowser, sharedBrowser, whyNoBrowser } from "../support/browser.ts";
import { setUpService } from "../support/set-up.ts";
import { newProvider, samlSettings, verifyDomain } from "../support/sso/fixture.ts";
import { startRealProvider, type RealProvider } from "../support/sso/oidc-provider.ts";
import { startProviderServer } from "../support/sso/provider-pages.ts";

const email = "ada@acme.test";

describe(
  "sign-in through an identity provider on another origin",
  { skip: whyNoBrowser() ?? false },
  async () => {
    const opened: BrowserContext[] = [];

    const { service } = await setUpService({ ssoPrivateNetwork: true });
    const fixture = await makeFixture(service);
    const { owner, org } = fixture;
    const saml = await startProviderServer({ email }, "localhost");
    await verifyDomain(service, org, "acme.test");
    await newProvider(service, org, owner, { saml: samlSettings(saml.ssoUrl) });
    const oidc = await startOtherOrganization();
    const client = createServer((_, response) => response.end("<title>Agent</title>"));
    await new Promise<void>((resolve) => client.listen(0, "127.0.0.1", resolve));

    after(async () => {
      await Promise.all(opened.map((context) => context.close()));
      await releaseBrowser(await sharedBrowser());
      client.close();
      await Promise.all([saml.close(), oidc.close()]);
    });

    async function startOtherOrganization(): Promise<RealProvider> {
      const other = await service.newOrg(owner);
      await verifyDomain(service, other, "other.test");
      const started = await startRealProvider({ sub: "1", email: "bob@other.test", email_verified: true });
      const secret = "s".repeat(40);
      const { urls } = await newProvider(service, other, owner, {
        type: "oidc",
        saml: undefined,
        oidc: { issuer: started.issuer, clientId: "svc", clientSecret: secret },
      });
      started.register({ id: "svc", secret, redirectUri: urls.callback! });
      return started;
    }

    async function newBrowser(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
      const browser = await sharedBrowser();
      const context = await browser.newContext({ locale: "en-US", ...options });
      context.setDefaultTimeout(60_000);
      opened.push(context);
      return context.newPage();
    }

    const address = async (page: Page, text = email) => {
      await page.getByLabel("E-mail").fill(text);
      await page.getByRole("button", { name: "Continue" }).click();
    };
    const heading = (page: Page, name: string | RegExp) =>
      page.getByRole("heading", { name, level: 1 }).waitFor();

    it("starts at the sign-in page, by SAML and by OpenID Connect", async () => {
      for (const person of [email, "bob@other.test"]) {
        const page = await newBrowser();
        await page.goto(`${service.url}/sign-in?return_to=/device`);
        await address(page, person);
        await heading(page, "Sign in a device");
      }
    });

    it("starts at the sign-in page without script", async () => {
      const page = await newBrowser({ javaScriptEnabled: false });
      await page.goto(`${service.url}/sign-in?return_to=/device`);
      await address(page);
      await page.waitForURL(`${saml.ssoUrl}?**`);
      await page.getByRole("button", { name: "Continue" }).click();
      await heading(page, "Sign in a device");
    });

    it("starts at the consent of a program, whose decision leads on to the program", async () => {
      const { port } = client.address() as AddressInfo;
      const redirectUri = `http://127.0.0.1:${port}/callback`;
      const registered = await service.call<never>("POST", "/oauth/register", {
        body: { redirect_uris: [redirectUri], client_name: "Agent" },
      });
      const query = new URLSearchParams({
        response_type: "code",
        client_id: String(registered.body["client_id"]),
        redirect_uri: redirectUri,
        state: "s",
        code_challenge: "c".repeat(43),
        code_challenge_method: "S256",
        resource: `${service.url}/mcp`,
      });
      const page = await newBrowser();
      await page.goto(`${service.url}/oauth/authorize?${query.toString()}`);
      await address(page);
      await heading(page, "Give a program access?");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(`${redirectUri}?code=**`);
    });

    it("starts at the approval of a device", async () => {
      const asked = await service.call<never>("POST", "/api/auth/device/code", {
        body: { client_id: "svc-cli" },
      });
      const page = await newBrowser();
      await page.goto(`${service.url}/device?user_code=${String(asked.body["user_code"])}`);
      await address(page);
      await heading(page, "Let a device sign in as you?");
      await page.getByRole("button", { name: "Approve" }).click();
      await heading(page, "Sign-in approved");
    });

    it("starts at an invitation, which is accepted afterwards", async () => {
      const invited = "grace@acme.test";
      const { token } = await fixture.invite(fixture.owner, invited);
      saml.person = { email: invited };
      const page = await newBrowser();
      await page.goto(`${service.url}/invitations/${token}`);
      await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await address(page, invited);
      await page.getByRole("button", { name: "Accept" }).click();
      await heading(page, "Welcome");
      saml.person = { email };
    });

    it("starts at the link of an organization, and at a page of it that visitors can't see", async () => {
      const { slug } = fixture.org;
      const page = await newBrowser();
      await page.goto(`${service.url}/sso/${slug}?return_to=/${slug}/-/library`);
      await page.waitForURL(`${service.url}/${slug}/-/library`);
      const visitor = await newBrowser();
      await visitor.goto(`${service.url}/${slug}/-/library`);
      await visitor.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await address(visitor);
      await visitor.waitForURL(`${service.url}/${slug}/-/library`);
    });

    it("follows a sign-in with password whose way back leads to a provider", async () => {
      const page = await newBrowser();
      const back = encodeURIComponent(`/sso/${org.slug}?return_to=/device`);
      await page.goto(`${service.url}/sign-in?password=1&return_to=${back}`);
      const account = await service.app.storage.users.find(owner.id);
      await page.getByLabel("E-mail").fill(account!.email);
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await heading(page, "Sign in a device");
    });
  },
);
