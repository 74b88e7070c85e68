/** Sign-ins by a second implementation of SAML, which reads our metadata and requests, and writes what we read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setUpOrganization } from "../support/set-up.ts";
import { makeCertificate } from "../support/sso/certificate.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import { followPost, postResponse, type Ended } from "../support/sso/saml-browser.ts";
import { secondImplementation, type SecondProvider } from "../support/sso/second-implementation.ts";

const samlify = secondImplementation;
const { SamlLib, Constants } = samlify;
const { redirect, post } = Constants.namespace.binding;
const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const statements =
  '<saml:AuthnStatement AuthnInstant="{IssueInstant}"><saml:AuthnContext><saml:AuthnContextClassRef>' +
  "urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>" +
  '<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>{Mail}</saml:AttributeValue></saml:Attribute>' +
  '<saml:Attribute Name="displayName"><saml:AttributeValue>{Name}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>';

// It has no validator of its own. What it reads here is written by the service.
samlify.setSchemaValidator({ validate: () => Promise.resolve("valid") });
const { service, owner, org } = await setUpOrganization({ ssoPrivateNetwork: true });
await verifyDomain(service, org, "acme.test");
const { privateKey, pem } = makeCertificate();
const settings = {
  entityID: "https://second.example.com/metadata",
  privateKey,
  signingCert: pem,
  nameIDFormat: [persistent],
  isAssertionEncrypted: false,
  requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  singleSignOnService: [redirect, post].map((Binding) => ({
    Binding,
    Location: "https://second.example.com/sso",
  })),
};
const idp = samlify.IdentityProvider(settings);
const encryptingIdp = samlify.IdentityProvider({ ...settings, isAssertionEncrypted: true });
const provider = (await newProvider(service, org, owner, { saml: { metadataXml: idp.getMetadata() } })).id;

async function signIn(
  wantMessageSigned: boolean,
  wantAssertionsSigned: boolean,
  by: SecondProvider = idp,
): Promise<Ended> {
  const own = await (await service.raw("GET", `/sso/${provider}/metadata`)).text();
  const metadata = own.replace(
    'WantAssertionsSigned="true"',
    `WantAssertionsSigned="${wantAssertionsSigned}"`,
  );
  const sp = samlify.ServiceProvider({ metadata, wantMessageSigned });
  const started = await service.raw("GET", `/sso/${provider}/start?return_to=/here`);
  const cookie = started.headers.getSetCookie()[0]!.split(";")[0]!;
  const target = new URL(started.headers.get("location")!);
  assert.equal(target.origin, "https://second.example.com");
  const request = await by.parseLoginRequest(sp, "redirect", {
    query: Object.fromEntries(target.searchParams),
  });
  const { issuer } = request.extract;
  assert.equal(issuer, sp.entityMeta.getEntityID());
  const response = await by.createLoginResponse(
    sp,
    request,
    "post",
    {},
    (template: string) => {
      const id = "_second-response";
      const now = new Date();
      const until = new Date(now.getTime() + 300_000).toISOString();
      const acs = sp.entityMeta.getAssertionConsumerService("post");
      const values = {
        ID: id,
        AssertionID: `_${target.searchParams.get("RelayState")!.slice(0, 20)}`,
        Destination: acs,
        SubjectRecipient: acs,
        Audience: issuer,
        Issuer: idp.entityMeta.getEntityID(),
        IssueInstant: now.toISOString(),
        StatusCode: "urn:oasis:names:tc:SAML:2.0:status:Success",
        ConditionsNotBefore: now.toISOString(),
        ConditionsNotOnOrAfter: until,
        SubjectConfirmationDataNotOnOrAfter: until,
        NameIDFormat: persistent,
        NameID: "person-17",
        InResponseTo: request.extract.request.id,
        Mail: "ada@acme.test",
        Name: "Ada Lovelace",
      };
      const context = template.replace("{AuthnStatement}{AttributeStatement}", statements);
      return { id, context: SamlLib.replaceTagsByValue(context, values) };
    },
    true,
  );
  const state = target.searchParams.get("RelayState")!;
  const posted = await postResponse(
    service,
    { providerId: provider, state },
    Buffer.from(response.context, "base64"),
  );
  return followPost(service, posted, cookie);
}

describe("a second implementation of SAML", () => {
  it("is understood, and understands the service", async () => {
    for (const [message, assertion] of [
      [false, true],
      [true, true],
      [true, false],
    ] as const) {
      const ended = await signIn(message, assertion);
      assert.ok(ended.session, ended.text);
      assert.equal(ended.location, "/here");
      const me = await service.call<{ name: string; email: string }>("GET", "/api/user/profile", {
        cookie: ended.session,
      });
      assert.deepEqual([me.data.name, me.data.email], ["Ada Lovelace", "ada@acme.test"]);
    }
    const path = `/api/tenants/${org.id}/sso/providers/${provider}/encryption-keys`;
    assert.equal((await service.call("POST", path, { cookie: owner.cookie })).status, 201);
    for (const message of [false, true]) {
      const encrypted = await signIn(message, true, encryptingIdp);
      assert.ok(encrypted.session, encrypted.text);
    }
    const accounts = service.app.storage.database.raw.collection("users");
    assert.equal(await accounts.countDocuments({ email: "ada@acme.test" }), 1);
  });
});
