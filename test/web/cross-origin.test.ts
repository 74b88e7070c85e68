/** Pages of other origins, whose browser decides what they can read of the service. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { releaseBrowser, sharedBrowser, whyNoBrowser } from "../support/browser.ts";
import { setUpService } from "../support/set-up.ts";

interface Fetched {
  status: number;
  text: string;
  etag: string | null;
}

describe("a page of another origin", { skip: whyNoBrowser() ?? false }, async () => {
  const skills = new Map<string, string>();

  const { service } = await setUpService();
  const owner = await service.newUser();
  const org = (await service.newOrg(owner)).slug;
  for (const visibility of ["public", "private"]) {
    const body = { tenantId: org, name: `A ${visibility} one`, content: "# Read me\n", visibility };
    const made = await service.call<{ skill: { publicId: string } }>("POST", "/api/skills", {
      token: owner.token,
      body,
    });
    skills.set(visibility, made.data.skill.publicId);
  }
  const other = createServer((_, response) => response.end("<title>Another site</title>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const context = await (await sharedBrowser()).newContext();
  const [name, value] = owner.cookie.split(/=(.*)/s);
  // Cookies belong to hosts, not to ports: a page of another port may send this one.
  await context.addCookies([{ name: name!, value: value!, domain: "127.0.0.1", path: "/", sameSite: "Lax" }]);
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);

  after(async () => {
    await context.close();
    await releaseBrowser(await sharedBrowser());
    other.close();
  });

  /** The response as the page sees it; undefined if the browser withholds it. */
  const fetched = (path: string, init: RequestInit = {}): Promise<Fetched | undefined> =>
    page.evaluate(
      async ({ url, options }) => {
        try {
          const response = await fetch(url, options);
          const etag = response.headers.get("etag");
          return { status: response.status, text: await response.text(), etag };
        } catch {
          return undefined;
        }
      },
      { url: service.url + path, options: init },
    );
  const readsOf = (skill: string) =>
    ["", "/content", "/package", "/manifest", "/versions", "/files/SKILL.md"].map(
      (part) => `/api/skills/${skill}${part}`,
    );

  it("reads the catalog, public skills and the documents for programs", async () => {
    const skill = skills.get("public")!;
    for (const path of [
      "/api/explore",
      "/api/explore/facets",
      `/api/explore/organizations/${org}`,
      `/api/skills/resolve?ref=${org}/a-public-one`,
      ...readsOf(skill),
      `/s/${skill}?raw`,
      "/llms.txt",
      `/${org}/llms.txt`,
      "/openapi.json",
    ])
      assert.equal((await fetched(path))?.status, 200, path);
  });

  it("revalidates what it has, with headers that its browser asks about first", async () => {
    const path = `/api/skills/${skills.get("public")}/content`;
    const { etag } = (await fetched(path))!;

    const again = await fetched(path, {
      headers: { "if-none-match": etag!, "x-request-id": "from-a-page" },
    });

    assert.equal(again?.status, 304);
  });

  it("can read a refusal", async () => {
    for (const path of readsOf(skills.get("private")!)) {
      const refused = await fetched(path);
      assert.equal(refused?.status, 401, path);
      assert.match(refused.text, /"code":"unauthenticated"/);
    }
  });

  it("gets nothing by the session of its reader, or by a token", async () => {
    for (const visibility of skills.keys())
      for (const path of ["/api/explore", ...readsOf(skills.get(visibility)!)]) {
        assert.equal(await fetched(path, { credentials: "include" }), undefined, path);
        const headers = { authorization: `Bearer ${owner.token}` };
        assert.equal(await fetched(path, { headers }), undefined, path);
      }
  });

  it("can't read or change anything else", async () => {
    for (const path of ["/api/skills", "/api/user/profile", "/api/tenants", "/sign-in", "/"])
      for (const credentials of ["include", "omit"] as const)
        assert.equal(await fetched(path, { credentials }), undefined, path);
    const path = `/api/skills/${skills.get("public")}`;
    for (const method of ["PUT", "DELETE", "POST"])
      assert.equal(await fetched(path, { method, credentials: "include" }), undefined, method);
  });

  it("gets the same from a cache as from the service", async () => {
    const path = `/api/skills/${skills.get("public")}/content`;

    const [anonymous, signedIn, byToken] = await Promise.all([
      service.raw("GET", path),
      service.raw("GET", path, { cookie: owner.cookie }),
      service.raw("GET", path, { token: owner.token }),
    ]);

    assert.equal(anonymous.headers.get("access-control-allow-origin"), "*");
    // A browser may send the tag of what it got with a session to revalidate it without one.
    assert.notEqual(anonymous.headers.get("etag"), signedIn.headers.get("etag"));
    for (const { headers } of [signedIn, byToken])
      assert.equal(headers.get("access-control-allow-origin"), null);
    for (const { headers } of [anonymous, signedIn, byToken]) {
      assert.match(headers.get("vary")!, /\bCookie\b/);
      assert.match(headers.get("vary")!, /\bAuthorization\b/);
      assert.equal(headers.get("access-control-allow-credentials"), null);
    }
  });
});
