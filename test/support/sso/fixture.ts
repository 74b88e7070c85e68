/** An organization whose owner sets up single sign-on. */
import assert from "node:assert/strict";
import type { SsoProviderPayload } from "../../../contract/payloads/accounts/sso.ts";
import type { TestOrg, TestService, TestUser } from "../service.ts";
import { makeCertificate } from "./certificate.ts";

export const idpEntityId = "https://idp.example.com/metadata";

/** The settings of the test identity provider. */
export const samlSettings = (ssoUrl = "https://idp.example.com/sso") => ({
  entityId: idpEntityId,
  ssoUrl,
  certificates: [makeCertificate().pem],
});

/** Metadata of the test identity provider. */
export const metadataXml = (certificates: string[], extra = "") => `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${idpEntityId}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    ${certificates
      .map(
        (der) =>
          `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>` +
          `<ds:X509Certificate>${der}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
      )
      .join("")}
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/post"/>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/sso"/>
    ${extra}
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;

export async function newProvider(
  service: TestService,
  org: TestOrg,
  owner: Pick<TestUser, "cookie">,
  input: Record<string, unknown> = {},
): Promise<SsoProviderPayload> {
  const body = { name: "Company", type: "saml", enabled: true, saml: samlSettings(), ...input };
  const answer = await service.call<SsoProviderPayload>("POST", `/api/tenants/${org.id}/sso/providers`, {
    cookie: owner.cookie,
    body,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.data;
}

/** Gives an organization a verified domain, as the check of its TXT record does. */
export async function verifyDomain(service: TestService, org: TestOrg, domain: string): Promise<void> {
  const { storage, now, newId } = service.app;
  const used = (await storage.ssoDomains.list(org.id)).length;
  await storage.ssoDomains.insert({
    _id: newId(),
    tenantId: org.id,
    domain,
    challenge: "x",
    slot: used,
    revision: 0,
    active: true,
    verified: true,
    verifiedAt: now(),
    createdBy: "test",
    createdAt: now(),
  });
}
