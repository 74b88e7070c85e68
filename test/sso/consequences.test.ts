/** Who would lose access if a provider were enforced. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SsoConsequencesPayload } from "../../contract/payloads/accounts/sso.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import { signInBySaml, startSaml } from "../support/sso/saml-browser.ts";

const { service, owner, org } = await setUpOrganization({ ssoPrivateNetwork: true });
const provider = await newProvider(service, org, owner);

const read = (by: TestUser) =>
  service.call<SsoConsequencesPayload>(
    "GET",
    `/api/tenants/${org.id}/sso/providers/${provider.id}/consequences`,
    { token: by.token },
  );

describe("the consequences of an enforcement", () => {
  it("name the members outside of the verified domains, and owners with their factors", async () => {
    const member = await newMember(service, org, "member");
    const email = `${member.username}@example.com`;
    assert.deepEqual((await read(owner)).data, {
      members: 1,
      signedIn: 0,
      outside: { count: 1, examples: [{ username: member.username, email }] },
      owners: [{ username: owner.username, hasFactor: false }],
    });

    await verifyDomain(service, org, "example.com");
    const person = { subject: "new@example.com", email: "new@example.com" };
    const ended = await signInBySaml(service, await startSaml(service, provider.id), person);
    assert.ok(ended.session);
    const { data } = await read(owner);
    assert.deepEqual(
      [data.members, data.signedIn, data.outside],
      [2, 1, { count: 0, examples: [] }],
      "the verified domain has all, and one has signed in",
    );
  });

  it("are for owners only", async () => {
    assert.equal((await read(await newMember(service, org, "admin"))).status, 403);
    assert.equal((await read(await service.newUser())).status, 404);
  });
});
