/** Encrypted assertions, and the keys of the service for them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SsoProviderPayload } from "../../contract/payloads/accounts/sso.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { makeCertificate } from "../support/sso/certificate.ts";
import { encryptAssertion, type Encrypting } from "../support/sso/encrypt.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import type { Writing } from "../support/sso/identity-provider.ts";
import { signInBySaml, startSaml, type Ended } from "../support/sso/saml-browser.ts";

const alice = { subject: "alice@acme.test", email: "alice@acme.test" };
/** The certificate that the metadata has. */
let certificate: string;

const keysPath = () => `/api/tenants/${org.id}/sso/providers/${provider}/encryption-keys`;
const addKey = (cookie = owner.cookie) => service.call<SsoProviderPayload>("POST", keysPath(), { cookie });
const removeKey = (fingerprint: string) =>
  service.call<SsoProviderPayload>("DELETE", `${keysPath()}/${fingerprint}`, {
    cookie: owner.cookie,
  });
const offered = async () => {
  const metadata = await (await service.raw("GET", `/sso/${provider}/metadata`)).text();
  return [...metadata.matchAll(/use="encryption".*?<ds:X509Certificate>([^<]+)</gs)].map(([, der]) =>
    der!.trim(),
  );
};

const { service, owner, org } = await setUpOrganization({ ssoPrivateNetwork: true });
await verifyDomain(service, org, "acme.test");
const provider = (await newProvider(service, org, owner)).id;

const attempt = async (writing: Writing) =>
  signInBySaml(service, await startSaml(service, provider), alice, writing);

/** A sign-in whose assertion is signed, then encrypted. */
const signIn = (options: Partial<Encrypting> = {}) =>
  attempt({ forge: encryptAssertion({ certificate, ...options }) });

/** A sign-in whose response is signed with the encrypted assertion inside. */
const signInByResponse = (options: Partial<Encrypting> = {}) =>
  attempt({
    signs: ["Response"],
    write: encryptAssertion({ certificate, ...options }),
  });

async function refusal(ended: Ended): Promise<string> {
  assert.equal(ended.session, undefined, "a session was opened");
  const number = /\d{4}-\d{4}/.exec(ended.text)![0];
  const path = `/api/tenants/${org.id}/sso/sign-ins?number=${number}`;
  const log = await service.call<{ reason: string }[]>("GET", path, {
    cookie: owner.cookie,
  });
  return log.data[0]!.reason;
}

describe("an encrypted assertion", () => {
  it("is refused while the provider has no key, and a request for the metadata makes none", async () => {
    assert.deepEqual(await offered(), []);
    certificate = makeCertificate().der;
    assert.equal(await refusal(await signIn()), "decryption");
    const stranger = await service.newUser();
    assert.equal((await addKey(stranger.cookie)).code, "not_found");
    const added = await addKey();
    assert.equal(added.status, 201, JSON.stringify(added.body));
    certificate = (await offered())[0]!;
    assert.ok(!JSON.stringify(added.body).includes("sealed"));
  });

  it("signs in with each algorithm, wherever its key is, and whichever element is signed", async () => {
    for (const options of [
      {},
      { bits: 128, keyMethod: "oaep-sha1" },
      { bits: 192, keyIs: "referenced" },
      { keyMethod: "oaep-sha256", keyIs: "beside" },
      { bits: 128, isCbc: true },
      { isCbc: true },
    ] as const) {
      const name = JSON.stringify(options);
      assert.ok((await signIn(options)).session, name);
      assert.ok((await signInByResponse(options)).session, name);
    }
    const both = {
      signs: ["Assertion"],
      forge: (xml: string) => encryptAssertion({ certificate })(xml),
    } as const;
    assert.ok((await attempt(both)).session);
  });

  it("is refused if it was changed, cut or encrypted for another key, for one reason", async () => {
    const flip = (at: number) => (all: Buffer) => {
      all[at < 0 ? all.length + at : at]! ^= 1;
      return all;
    };
    const wrong: Partial<Encrypting>[] = [
      { certificate: makeCertificate({ key: 1 }).der },
      { tamper: flip(-1) },
      { tamper: flip(40) },
      { tamper: (all) => all.subarray(0, 20) },
      { isCbc: true, tamper: (all) => all.subarray(0, -5) },
      { isCbc: true, tamper: (all) => all.subarray(0, 16) },
      { isCbc: true, tamper: flip(-17) },
      { content: "http://www.w3.org/2009/xmlenc11#aes128-gcm" },
      { plain: () => "hello" },
      { plain: () => `${"<a>".repeat(100)}${"</a>".repeat(100)}` },
      { plain: (xml) => `<!DOCTYPE x>${xml}` },
    ];
    for (const [number, options] of wrong.entries())
      for (const ended of [await signIn(options), await signInByResponse(options)])
        assert.equal(await refusal(ended), "decryption", String(number));
  });

  it("is refused with an algorithm that is not accepted", async () => {
    const tripleDes = "http://www.w3.org/2001/04/xmlenc#tripledes-cbc";
    for (const options of [{ keyMethod: "rsa-1_5" }, { content: tripleDes }] as const)
      assert.equal(await refusal(await signIn(options)), "decryption");
  });

  it("is refused if its key has many elements, before the key is used", async () => {
    const crowd = "<a/>".repeat(101);
    const forge = (xml: string) =>
      encryptAssertion({ certificate })(xml).replace(
        "</xenc:EncryptedKey>",
        () => `${crowd}</xenc:EncryptedKey>`,
      );
    assert.equal(await refusal(await attempt({ forge })), "decryption");
  });

  it("needs a signature of its own or of the response, like every other", async () => {
    const encrypt = encryptAssertion({ certificate });
    assert.equal(await refusal(await attempt({ signs: [], forge: encrypt })), "signature");
    assert.equal(await refusal(await attempt({ key: 1, forge: encrypt })), "signature");
    const changed = {
      plain: (xml: string) => xml.replaceAll("alice@", "mallory@"),
    };
    assert.equal(await refusal(await signIn(changed)), "signature");
    const other = {
      signs: ["Response"],
      write: encrypt,
      forge: encryptedOnce,
    } as const;
    assert.equal(await refusal(await attempt(other)), "signature");
  });

  it("has to be the only one, outside and inside", async () => {
    const twice = (xml: string) =>
      xml.replace(/<saml:EncryptedAssertion .*<\/saml:EncryptedAssertion>/s, "$&$&");
    const both = (xml: string) => {
      const assertion = /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)![0];
      return encryptAssertion({ certificate })(xml).replace(
        "</samlp:Response>",
        () => `${assertion}</samlp:Response>`,
      );
    };
    const encrypt = encryptAssertion({ certificate });
    assert.equal(await refusal(await attempt({ forge: (xml) => twice(encrypt(xml)) })), "root");
    assert.equal(await refusal(await attempt({ forge: both })), "root");
    const wrapped = {
      plain: (xml: string) => xml.replace("</saml:Assertion>", () => `${xml}</saml:Assertion>`),
    };
    assert.equal(await refusal(await signIn(wrapped)), "decryption");
  });

  it("is not decrypted if the response around it has failed a check", async () => {
    const forge = (xml: string) =>
      encryptAssertion({ certificate, tamper: (all) => all.subarray(0, 3) })(xml).replace(
        /Destination="[^"]*"/,
        'Destination="https://other.example.com/"',
      );
    assert.equal(await refusal(await attempt({ forge })), "destination");
  });
});

/** Replaces the ciphertext of a signed response. */
const encryptedOnce = (xml: string) => {
  let count = 0;
  return xml.replace(/<xenc:CipherValue>[^<]{8}/g, (all) =>
    count++ === 0 ? all : "<xenc:CipherValue>AAAAAAAA",
  );
};

describe("a key for encrypted assertions", () => {
  it("is replaced, while the previous one decrypts until it is removed", async () => {
    const first = certificate;
    const rotated = await addKey();
    assert.equal(rotated.data.encryptionKeys.length, 2);
    const [second, ...others] = await offered();
    assert.ok(second !== undefined && second !== first && others.length === 0);
    for (const one of [first, second]) assert.ok((await signIn({ certificate: one })).session);
    assert.equal((await addKey()).code, "limit_reached");

    const removed = await removeKey(rotated.data.encryptionKeys[1]!.fingerprint);

    assert.deepEqual(removed.data.encryptionKeys, rotated.data.encryptionKeys.slice(0, 1));
    assert.equal(await refusal(await signIn({ certificate: first })), "decryption");
    assert.ok((await signIn({ certificate: second })).session);
    assert.equal((await removeKey(rotated.data.encryptionKeys[1]!.fingerprint)).code, "not_found");
    await service.settled();
    const log = await service.call<{ entries: { metadata: object }[] }>(
      "GET",
      `/api/tenants/${org.id}/audit-log?action=sso.provider_updated`,
      { token: owner.token },
    );
    const fingerprints = removed.data.encryptionKeys.map((key) => key.fingerprint);
    assert.deepEqual(log.data.entries[0]!.metadata, {
      name: "Company",
      changed: { encryptionKeys: fingerprints },
    });
    assert.equal((await removeKey(fingerprints[0]!)).data.encryptionKeys.length, 0);
    assert.deepEqual(await offered(), []);
    assert.ok((await attempt({})).session);
  });

  it("is of no use to a provider without SAML", async () => {
    const oidc = await service.call<SsoProviderPayload>("POST", `/api/tenants/${org.id}/sso/providers`, {
      cookie: owner.cookie,
      body: { name: "Other", type: "oidc" },
    });
    const path = `/api/tenants/${org.id}/sso/providers/${oidc.data.id}/encryption-keys`;
    assert.equal((await service.call("POST", path, { cookie: owner.cookie })).code, "refused");
  });
});
