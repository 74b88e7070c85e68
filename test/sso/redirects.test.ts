import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setUpOrganization } from "../support/set-up.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import { formOf } from "../support/sso/saml-browser.ts";

describe("a redirect towards an identity provider", async () => {
  const { service, owner, org } = await setUpOrganization();
  const { id } = await newProvider(service, org, owner);
  const start = `/sso/${id}/start`;
  await verifyDomain(service, org, "acme.test");

  const post = async (path: string, fields: Record<string, string>) => {
    const form = await formOf(fields);
    return service.raw("POST", path, { ...form, headers: { ...form.headers, origin: service.url } });
  };
  async function assertPage(response: Response, address: string) {
    const text = await response.text();
    assert.deepEqual(
      [response.status, response.headers.get("refresh"), response.headers.get("location")],
      [200, `0; url=${address}`, null],
      text,
    );
    assert.ok(text.includes(`href="${address.replaceAll("&", "&amp;")}"`), text);
    return response;
  }
  const signIn = (more: Record<string, string>) =>
    post("/sign-in", { email: `${owner.username}@example.com`, password: "correct horse battery", ...more });

  it("becomes a page after the address of a person", async () => {
    const response = await post("/sign-in", { email: "ada@acme.test", return_to: "/device?a=1&b=2" });
    await assertPage(response, `${start}?return_to=%2Fdevice%3Fa%3D1%26b%3D2`);
  });

  it("becomes a page after any form, with its cookies, and in a chain of redirects", async () => {
    for (const back of [`/sso/${org.slug}?return_to=/a`, start, `${start}/`, `/SSO/${org.slug}`]) {
      const signedIn = await assertPage(await signIn({ return_to: back }), back);
      const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      assert.match(cookie, /^svc_session=./);
      const again = await service.raw("GET", `/sign-in?return_to=${encodeURIComponent(back)}`, { cookie });
      await assertPage(again, back);
    }
    const account = {
      email: "new@example.com",
      password: "correct horse battery",
      name: "N",
      username: "newer",
    };
    await assertPage(await post("/sign-up", { ...account, return_to: start }), start);
  });

  it("stays a redirect where a link leads to it, or where it stays here", async () => {
    for (const path of [start, `/sso/${org.slug}`]) {
      const response = await service.raw("GET", path);
      assert.equal(response.status, 303);
      assert.match(response.headers.get("location") ?? "", /^https:\/\/idp\.example\.com\/sso\?SAMLRequest=/);
    }
    for (const back of ["/", "/device", "/sso/x/complete?state=a", "/nowhere"]) {
      const response = await signIn({ return_to: back });
      assert.deepEqual([response.status, response.headers.get("location")], [303, back]);
    }
  });
});
