/** Responses whose signature takes long to verify, which anyone can send: they are verified in the threads. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openCompute, type Compute } from "../../src/compute/compute.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import { attributeXml, swap, type Writing } from "../support/sso/identity-provider.ts";
import { signInBySaml, startSaml, type Ended } from "../support/sso/saml-browser.ts";

const alice = { subject: "alice@acme.test", email: "alice@acme.test" };
/** Kinds of the pieces that were run in the threads. */
let pieces: string[];

const { service, owner, org } = await setUpOrganization({ ssoPrivateNetwork: true });
await verifyDomain(service, org, "acme.test");
const provider = (await newProvider(service, org, owner)).id;
const threads = service.app.compute;

/** A sign-in while the pieces of `compute` are counted. */
async function signIn(
  writing: Writing,
  { attributes, compute = threads }: { attributes?: string; compute?: Compute } = {},
): Promise<Ended> {
  pieces = [];
  const counting: Compute = {
    ...compute,
    by: (caller) => ({
      run(kind, input) {
        pieces.push(kind);
        return compute.by(caller).run(kind, input);
      },
    }),
  };
  service.app.compute = counting;
  try {
    const started = await startSaml(service, provider);
    return await signInBySaml(service, started, { ...alice, attributes: attributes || undefined }, writing);
  } finally {
    service.app.compute = threads;
  }
}

async function failure(ended: Ended): Promise<{ reason: string; message: string }> {
  assert.equal(ended.session, undefined, "a session was opened");
  const number = /\d{4}-\d{4}/.exec(ended.text)![0];
  const path = `/api/tenants/${org.id}/sso/sign-ins?number=${number}`;
  const log = await service.call<{ reason: string; message: string }[]>("GET", path, {
    cookie: owner.cookie,
  });
  return log.data[0]!;
}

/** A few more elements than are verified directly. */
const crowd = '<a b=""/>'.repeat(500);
const hostile: [what: string, Writing][] = [
  ["an assertion", { forge: swap("</saml:Assertion>", `${crowd}</saml:Assertion>`) }],
  ["a response", { signs: ["Response"], forge: swap("</saml:Assertion>", `${crowd}</saml:Assertion>`) }],
];
const groups = Array.from({ length: 400 }, (_, n) => `group ${n}`);
const manyGroups = attributeXml("email", alice.email) + attributeXml("groups", ...groups);

describe("a SAML response that takes long to verify", () => {
  it("is verified in the threads, and an ordinary one directly", async () => {
    assert.ok((await signIn({})).session);
    assert.deepEqual(pieces, []);
    for (const [what, writing] of hostile) {
      assert.equal((await failure(await signIn(writing))).reason, "signature", what);
      assert.deepEqual(pieces, ["verify-xml"], what);
    }
  });

  it("signs in if it is valid, whichever element is signed", async () => {
    for (const signs of [["Assertion"], ["Response"]] as const) {
      assert.ok((await signIn({ signs }, { attributes: manyGroups })).session, signs.join());
      assert.deepEqual(pieces, ["verify-xml"], signs.join());
      const forged = await signIn(
        { signs, forge: swap(">group 7<", ">admins<") },
        { attributes: manyGroups },
      );
      assert.equal((await failure(forged)).reason, "signature", signs.join());
    }
  });

  it("is refused with the reason if it exceeds the time of a thread", async () => {
    const compute = openCompute({ timeMs: 1 });
    try {
      for (const [what, writing] of hostile) {
        const { reason, message } = await failure(await signIn(writing, { compute }));
        assert.equal(reason, "format", what);
        assert.match(message, /takes too much time to verify: .* fewer groups/, what);
      }
    } finally {
      await compute.close();
    }
  });

  it("is refused without a verification if it repeats a long namespace", async () => {
    const long = `<a xmlns:p="${"u".repeat(1001)}">${"<p:b/>".repeat(2800)}</a>`;
    const forge = swap("</saml:Assertion>", `${long}</saml:Assertion>`);
    assert.match(
      (await failure(await signIn({ forge }))).message,
      /namespace with more than 1000 characters/,
    );
    assert.deepEqual(pieces, []);
  });
});
