import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { SsoProviderPayload } from "../../contract/payloads/accounts/sso.ts";
import { checkProviders } from "../../workers/sso/check-providers.ts";
import { deliverMails } from "../support/mailbox.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { makeCertificate } from "../support/sso/certificate.ts";
import { metadataXml, newProvider, samlSettings, verifyDomain } from "../support/sso/fixture.ts";
import { signInBySaml, startSaml } from "../support/sso/saml-browser.ts";

const dayMs = 86_400_000;

const read = async (id = provider) => {
  const path = `/api/tenants/${org.id}/sso/providers/${id}`;
  return (await service.call<SsoProviderPayload>("GET", path, { token: owner.token })).data;
};
const refresh = async () => {
  clock.aheadMs += dayMs + 1000;
  await checkProviders(service.app);
  return read();
};
const updates = async () => {
  await service.settled();
  const log = await service.call<{ entries: { actor: { type: string }; metadata: object }[] }>(
    "GET",
    `/api/tenants/${org.id}/audit-log?action=sso.provider_updated`,
    { token: owner.token },
  );
  return log.data.entries;
};
const fingerprints = ({ saml }: SsoProviderPayload) => saml!.certificates.map((one) => one.fingerprint);
const key0 = makeCertificate();
const key1 = makeCertificate({ key: 1 });

const { service, clock } = await setUpService({ ssoPrivateNetwork: true });
const web = createServer((_, response) => response.writeHead(served === undefined ? 404 : 200).end(served));
await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/metadata`;
const { owner, org } = await newOrganization(service);
await verifyDomain(service, org, "acme.test");
/** The metadata that the provider serves; undefined while it has none. */
let served: string | undefined = metadataXml([key0.der]);
const provider = (await newProvider(service, org, owner, { saml: { metadataUrl: address } })).id;

after(() => web.close());

describe("metadata from an address", () => {
  it("is read every day, and replaces the certificates of a rollover", async () => {
    const first = await read();
    served = metadataXml([key0.der, key1.der]);
    await checkProviders(service.app);
    assert.deepEqual(fingerprints(await read()), fingerprints(first), "it was read before a day had passed");

    const second = await refresh();

    assert.equal(second.saml!.certificates.length, 2);
    assert.ok(second.saml!.metadataReadAt! > first.saml!.metadataReadAt!);
    const [event, ...others] = await updates();
    assert.equal(event?.actor.type, "system");
    assert.deepEqual(event?.metadata, {
      name: "Company",
      changed: { saml: { metadataUrl: address, fingerprints: fingerprints(second) } },
    });
    await refresh();
    assert.equal((await updates()).length, others.length + 1, "nothing had changed");
  });

  it("that can't be used leaves the connection as it is, by which people sign in", async () => {
    const started = await startSaml(service, provider);
    const present = fingerprints(await read());
    const expired = makeCertificate({ notAfter: new Date(Date.now() - dayMs) });
    const foreign = metadataXml([key1.der]).replace("idp.example.com/metadata", "evil.example.com/metadata");
    for (const [text, problem] of [
      [undefined, /could not be read/],
      ["<html>Not found</html>", /0 identity providers/],
      [foreign, /another provider/],
      [metadataXml([expired.der]), /have expired/],
      ["x".repeat(300_000), /could not be read/],
    ] as const) {
      served = text;
      const { saml } = await refresh();
      assert.match(saml!.metadataError!, problem);
      assert.deepEqual(fingerprints(await read()), present);
    }
    clock.aheadMs = 0;
    const person = { subject: "ada@acme.test", email: "ada@acme.test" };
    assert.ok((await signInBySaml(service, started, person)).session);

    served = metadataXml([key0.der]);
    clock.aheadMs = 20 * dayMs;
    const { saml } = await refresh();
    assert.equal(saml!.metadataError, undefined);
    assert.equal(saml!.certificates.length, 1);
  });
});

describe("the end of a certificate", () => {
  it("is mailed to the owners for metadata that was entered as a text, and shown", async () => {
    clock.aheadMs = 0;
    const until = new Date(Date.now() + 5 * dayMs).toISOString();
    const text = metadataXml([key0.der]).replace(" entityID=", ` validUntil="${until}" entityID=`);
    const { id, saml } = await newProvider(service, org, owner, {
      name: "Text",
      saml: { metadataXml: text },
    });
    assert.equal(saml!.metadataValidUntil, until);
    for (const [days, count] of [
      [0, 1],
      [1, 0],
      [4, 1],
      [6, 0],
    ] as const) {
      clock.aheadMs = days * dayMs + 1000;
      await checkProviders(service.app);
      await service.settled();
      const mails = await deliverMails(service.app);
      const texts = mails.filter(({ subject }) => /metadata of your identity provider expires/.test(subject));
      assert.equal(texts.length, count, String(days));
      if (count > 0) assert.match(texts[0]!.text, new RegExp(`"Text" is valid until ${until.slice(0, 10)}`));
    }
    clock.aheadMs = 0;
    const path = `/api/tenants/${org.id}/sso/providers/${id}`;
    assert.equal((await service.call("DELETE", path, { token: owner.token })).status, 200);
  });

  it("is mailed to the owners thirty, seven and one days before, once each", async () => {
    await checkProviders(service.app);
    await service.settled();
    await deliverMails(service.app);
    clock.aheadMs = 0;
    const { pem } = makeCertificate({ notAfter: new Date(Date.now() + 40 * dayMs) });
    await newProvider(service, org, owner, {
      name: "Short",
      saml: { ...samlSettings(), certificates: [pem] },
    });
    await newProvider(service, org, owner, {
      name: "Off",
      enabled: false,
      saml: { ...samlSettings(), certificates: [pem] },
    });
    const got: string[] = [];
    for (let day = 0; day <= 42; day++) {
      clock.aheadMs = day * dayMs;
      await checkProviders(service.app);
      await service.settled();
      for (const { to, subject, text } of await deliverMails(service.app)) {
        assert.equal(to, `${owner.username}@example.com`);
        assert.match(subject, /certificate of your identity provider expires/);
        assert.match(text, /"Short".*No other one is valid for longer/s);
        got.push(`day ${day}`);
      }
    }
    assert.deepEqual(got, ["day 10", "day 33", "day 39"]);
  });
});
