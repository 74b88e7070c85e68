/** Signed statements about versions, checked by the client and by the code of Sigstore. */
import assert from "node:assert/strict";
import { createHash, createPublicKey } from "node:crypto";
import { describe, it } from "node:test";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { checkStatement, type ExpectedVersion } from "../../cli/provenance/check-statement.ts";
import type {
  AttestationsPayload,
  PublicKey,
  SigningKeyPayload,
} from "../../contract/payloads/skills/provenance.ts";
import type { SkillPayload, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import {
  builderOf,
  describeOrigin,
  matchesBuilder,
  type Statement,
} from "../../contract/provenance/statement.ts";
import { exportLines } from "../../storage/dump/export-lines.ts";
import { importLines } from "../../storage/dump/import-lines.ts";
import { signVersions } from "../../workers/skills/sign-versions.ts";
import { setUpCi } from "../ci/fixture.ts";
import { emptyDatabase } from "../support/engine.ts";
import { publishSkill, newMember } from "../support/organization.ts";

const dayMs = 86_400_000;
const fixture = await setUpCi();
const { service, owner, org } = fixture;
const { app } = service;

interface Signed {
  expected: ExpectedVersion;
  found: AttestationsPayload;
}

const attestationsOf = (skill: string, version: string | number, token = owner.token) =>
  service.call<AttestationsPayload>("GET", `/api/skills/${skill}/versions/${version}/attestations`, {
    token,
  });

async function keysOf(): Promise<PublicKey[]> {
  const answer = await fetch(service.url + "/.well-known/svc/keys.json");
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { keys: PublicKey[] }).keys;
}

/** A published version with its statement. */
async function signed(id: string, ref: string | number = 1): Promise<Signed> {
  await service.settled();
  const skill = await service.call<SkillPayload>("GET", `/api/skills/${id}`, { token: owner.token });
  const version = await service.call<VersionPayload>("GET", `/api/skills/${id}/versions/${ref}`, {
    token: owner.token,
  });
  const { data } = await attestationsOf(id, ref);
  const { semver, hash } = version.data;
  return {
    expected: { publicId: skill.data.publicId, version: version.data.version, semver, hash },
    found: data,
  };
}

const publish = async (name: string, text = "# Hello\n") =>
  (await publishSkill(service, org, owner, { name, content: text })).id;

const problemOf = async ({ found, expected }: Signed, keys?: PublicKey[]): Promise<string | undefined> => {
  const checked = checkStatement(found, keys ?? (await keysOf()), expected);
  return "problem" in checked ? checked.problem : undefined;
};

const hintOf = ({ found }: Signed) => found.attestations[0]!.bundle.verificationMaterial.publicKey.hint;

const statementOf = ({ attestations }: AttestationsPayload): Statement =>
  JSON.parse(Buffer.from(attestations[0]!.bundle.dsseEnvelope.payload, "base64").toString());

/** Verifies with Sigstore's code, which trusts the key that the service names. */
async function verifyBySigstore({ attestations }: AttestationsPayload): Promise<void> {
  const keys = await keysOf();
  const root = {
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [],
    certificateAuthorities: [],
    ctlogs: [],
    timestampAuthorities: [],
  };
  const material = toTrustMaterial(root, (hint) => {
    const { kty, crv, x, y } = keys.find(
      ({ kid }) => Buffer.from(kid, "base64url").toString("base64") === hint,
    )!;
    return {
      publicKey: createPublicKey({ key: { kty, crv, x, y }, format: "jwk" }),
      validFor: () => true,
    };
  });
  const options = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(material, options).verify(toSignedEntity(bundleFromJSON(attestations[0]!.bundle)));
}

const administer = (method: string, path: string, body?: object) =>
  service.call<SigningKeyPayload[]>(method, `/api/admin/signing-keys${path}`, { cookie: owner.cookie, body });

describe("the statement of a version", () => {
  it("names its content, commit and publisher, and is accepted by Sigstore's code and the client", async () => {
    const id = await publish("Signed");
    const one = await signed(id);
    const statement = statementOf(one.found);
    const { data: version } = await service.call<VersionPayload>("GET", `/api/skills/${id}/versions/1`, {
      token: owner.token,
    });

    await verifyBySigstore(one.found);
    assert.equal(await problemOf(one), undefined);
    const names = new Set(statement.subject.map(({ name }) => name));
    assert.deepEqual([...names], [`${org.slug}/signed@1.0.0`]);
    assert.ok(statement.subject.some(({ digest }) => digest["sha256"] === version.hash));
    assert.ok(statement.subject.some(({ digest }) => digest["gitCommit"] === version.commit));
    assert.equal(statement.predicateType, `${service.url}/.well-known/svc/provenance/published/v1`);
    assert.equal(describeOrigin(statement), `Published by ${owner.username}`);
    assert.ok(!JSON.stringify(statement).includes("@example.com"));
  });

  it("is SLSA provenance for a pipeline, with issuer, repository, ref, commit, workflow, run and policy", async () => {
    const policy = await fixture.trust("github");
    const token = await fixture.exchange(await fixture.github.mint(service.url));
    const published = await service.call<{ skill: SkillPayload }>("POST", "/api/skills", {
      token: token.data.token,
      body: { tenantId: org.slug, name: "From CI", content: "# Hello\n" },
    });
    const one = await signed(published.data.skill.id);
    const statement = statementOf(one.found);

    await verifyBySigstore(one.found);
    assert.equal(await problemOf(one), undefined);
    const repository = `${fixture.github.url}/acme/skills`;
    assert.equal(builderOf(statement), repository);
    assert.equal(statement.predicateType, "https://slsa.dev/provenance/v1");
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const { buildDefinition, runDetails } = statement.predicate;
    assert.deepEqual(buildDefinition, {
      buildType: `${service.url}/.well-known/svc/provenance/publish-from-ci/v1`,
      externalParameters: {
        skill: `${org.slug}/from-ci`,
        version: "1.0.0",
        source: { repository, ref: "refs/heads/main", workflow: ".github/workflows/publish.yml" },
      },
      internalParameters: { issuer: fixture.github.url, policy: policy.id },
      resolvedDependencies: [{ uri: `git+${repository}@refs/heads/main`, digest: { gitCommit: commit } }],
    });
    assert.equal(runDetails!.metadata.invocationId, `${repository}/actions/runs/77`);
    assert.match(describeOrigin(statement), /acme\/skills by .*publish\.yml from commit 01234567 on/);
  });

  it("is refused with a changed byte, and for another version, skill or content", async () => {
    const id = await publish("Changed");
    await service.call("POST", `/api/skills/${id}/versions`, {
      token: owner.token,
      body: { content: "two\n" },
    });
    const other = await publish("Other");
    const [one, two, same] = [await signed(id, 1), await signed(id, 2), await signed(other, 1)];
    assert.equal(one.expected.hash, same.expected.hash);

    const envelope = one.found.attestations[0]!.bundle.dsseEnvelope;
    const payload = Buffer.from(envelope.payload, "base64");
    const flip = (bytes: Buffer, at: number) => {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      return changed.toString("base64");
    };
    const signature = Buffer.from(envelope.signatures[0]!.sig, "base64");
    const changed = [
      { ...envelope, payload: flip(payload, payload.indexOf("1.0.0")) },
      { ...envelope, signatures: [{ keyid: "", sig: flip(signature, signature.length - 1) }] },
    ];
    for (const dsseEnvelope of changed) {
      const [attestation] = one.found.attestations;
      const bundle = { ...attestation!.bundle, dsseEnvelope };
      const found = { attestations: [{ ...attestation!, bundle }] };
      assert.match((await problemOf({ ...one, found }))!, /signature is wrong/);
      await assert.rejects(verifyBySigstore(found));
    }
    for (const { found } of [two, same])
      assert.match((await problemOf({ ...one, found }))!, /another version or other content/);
    assert.match(
      (await problemOf({ ...one, expected: { ...one.expected, hash: two.expected.hash } }))!,
      /other content/,
    );
    assert.match((await problemOf({ ...one, found: { attestations: [] } }))!, /no signed statement/);
  });

  it("is readable like its version, with an entity tag", async () => {
    const id = await publish("Private");
    await service.settled();
    const stranger = await service.newUser();
    const member = await newMember(service, org, "viewer");
    assert.equal((await attestationsOf(id, 1, member.token)).data.attestations.length, 1);
    const refused = await attestationsOf(id, 1, stranger.token);
    assert.deepEqual([refused.status, refused.code], [404, "not_found"]);
    assert.equal((await attestationsOf(id, 7)).status, 404);
    const etag = (await attestationsOf(id, "1.0.0")).headers.get("etag")!;
    const again = await fetch(`${service.url}/api/skills/${id}/versions/1/attestations`, {
      headers: { authorization: `Bearer ${owner.token}`, "if-none-match": etag },
    });
    assert.equal(again.status, 304);
  });

  it("does not tell others a name that the skill had only while it was private", async () => {
    const stranger = await service.newUser();
    const change = async (method: string, path: string, body: object) =>
      assert.equal((await service.call(method, path, { token: owner.token, body })).status, 200, path);
    const namesFor = async (id: string, { token }: { token: string }) => {
      await service.settled();
      const { data } = await attestationsOf(id, 1, token);
      return [...new Set(statementOf(data).subject.map(({ name }) => name))];
    };
    const id = await publish("Takeover of Initech");
    assert.deepEqual(await namesFor(id, owner), [`${org.slug}/takeover-of-initech@1.0.0`]);

    await change("POST", `/api/skills/${id}/rename`, { slug: "first-name" });
    await change("PUT", `/api/skills/${id}`, { visibility: "public" });
    assert.deepEqual(await namesFor(id, stranger), [`${org.slug}/first-name@1.0.0`]);
    await verifyBySigstore((await attestationsOf(id, 1, stranger.token)).data);

    await change("POST", `/api/skills/${id}/rename`, { slug: "second-name" });
    assert.deepEqual(await namesFor(id, stranger), [`${org.slug}/first-name@1.0.0`], "which was public");
  });
});

describe("signing keys", () => {
  it("are published with their validity, also in PEM, and without the private part", async () => {
    await signed(await publish("Published"));
    const [key] = await keysOf();
    assert.deepEqual([key!.kty, key!.crv, key!.alg, key!["svc:state"]], ["EC", "P-256", "ES256", "active"]);
    const text = await (await fetch(service.url + "/.well-known/svc/keys.json")).text();
    assert.ok(!text.includes('"d"') && !text.includes("sealed"));
    const pem = await (await fetch(`${service.url}/.well-known/svc/keys/${key!.kid}.pem`)).text();
    const spki = createPublicKey(pem).export({ type: "spki", format: "der" });
    assert.equal(createHash("sha256").update(spki).digest("base64url"), key!.kid);
    assert.equal((await fetch(service.url + "/.well-known/svc/keys/nothing.pem")).status, 404);
  });

  it("are rotated by an administrator: former statements stay valid, and the new one signs later", async () => {
    const before = await signed(await publish("Before"));
    const member = await service.newUser();
    const path = "/api/admin/signing-keys/rotate";
    const body = { reason: "yearly" };
    assert.equal((await service.call("POST", path, { token: member.token, body })).status, 404);

    const rotated = await administer("POST", "/rotate", body);
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    assert.deepEqual(
      rotated.data.map(({ state }) => state),
      ["pending", "active"],
    );
    assert.equal((await administer("POST", "/rotate", body)).code, "conflict");
    const between = await signed(await publish("Between"));
    fixture.advance(11 * 60_000);
    const after = await signed(await publish("After"));

    assert.equal(hintOf(between), hintOf(before));
    assert.notEqual(hintOf(after), hintOf(before));
    for (const one of [before, between, after]) {
      assert.equal(await problemOf(one), undefined);
      await verifyBySigstore(one.found);
    }
    const keys = await keysOf();
    assert.deepEqual(
      keys.map((key) => key["svc:state"]),
      ["active", "retired"],
    );
    // A signature by the former key at a later time is not valid.
    const early = keys.map((key) => ({ ...key, "svc:notBefore": new Date(0).toISOString() }));
    const late = early.map((key) => ({ ...key, "svc:notAfter": new Date(1).toISOString() }));
    assert.match((await problemOf(before, late))!, /not signed in the time of its key/);
    await signVersions(app);
    const stored = await app.storage.signingKeys.list();
    assert.deepEqual(
      stored.map(({ sealed }) => sealed !== undefined),
      [true, false],
    );
    const log = await service.call<{ entries: { action: string; metadata: object }[] }>(
      "GET",
      "/api/admin/audit-log?action=service.*",
      { cookie: owner.cookie },
    );
    assert.ok(log.data.entries.some(({ action }) => action === "service.signing_key_rotated"));
  });

  it("are not valid any more once revoked or removed, and versions are signed again", async () => {
    const id = await publish("Revoked");
    const one = await signed(id);
    const [current] = await keysOf();
    assert.equal((await administer("POST", "/none/revoke", { reason: "leaked" })).status, 404);
    const revoked = await administer("POST", `/${current!.kid}/revoke`, { reason: "leaked" });
    assert.equal(revoked.data.find(({ id: key }) => key === current!.kid)!.state, "revoked");
    assert.match((await problemOf(one))!, /revoked/);
    assert.equal((await administer("POST", `/${current!.kid}/revoke`, { reason: "x" })).code, "conflict");

    await signVersions(app);
    const again = await signed(id);
    assert.equal(await problemOf(again), undefined);
    const keys = (await keysOf()).filter(({ kid }) => kid !== (again.found.attestations[0] && current!.kid));
    assert.match((await problemOf(one, keys))!, /key that the service does not have/);
  });

  it("sign nothing at a time in which they are not valid, and the reconcile job signs later", async () => {
    fixture.advance(-dayMs);
    const id = await publish("Behind");
    assert.deepEqual((await signed(id)).found.attestations, []);
    fixture.advance(dayMs);
    await signVersions(app);
    assert.equal(await problemOf(await signed(id)), undefined);

    // Signed with a clock that is a day ahead, and the key is rotated with a right one.
    fixture.advance(dayMs);
    const ahead = await signed(await publish("Ahead"));
    fixture.advance(-dayMs);
    await administer("POST", "/rotate", { reason: "yearly" });
    assert.equal(await problemOf(ahead), undefined);
  });

  it("of a restored database verify its versions, and others are signed again", async () => {
    const kept = await publish("Kept");
    await signed(kept);
    const lines: string[] = [];
    for await (const line of exportLines(app.storage.database, new Date())) lines.push(line);
    fixture.advance(2 * dayMs);
    for (const { kid } of await keysOf()) await administer("POST", `/${kid}/revoke`, { reason: "leaked" });
    await signVersions(app);
    const later = await signed(kept);
    assert.equal(await problemOf(later), undefined);

    await service.settled();
    await emptyDatabase(app.storage.database.raw);
    await importLines(
      app.storage.database,
      (async function* () {
        yield* lines;
      })(),
    );
    // The key of the time after the backup is gone with it.
    assert.match((await problemOf(later))!, /key that the service does not have/);
    const restored = await signed(kept);
    assert.equal(await problemOf(restored), undefined);
    await app.storage.attestations.replace({
      ...(await app.storage.attestations.find(await versionIdOf(kept)))!,
      keyId: "lost",
    });
    await signVersions(app);
    assert.equal(await problemOf(await signed(kept)), undefined);
  });
});

const versionIdOf = async (id: string) =>
  (await service.call<VersionPayload>("GET", `/api/skills/${id}/versions/1`, { token: owner.token })).data.id;

describe("a demand for a builder", () => {
  it("matches repositories by their host and path", () => {
    const at = "https://github.com/acme/skills";
    for (const [pattern, repository, isMatch] of [
      ["github:acme/*", at, true],
      ["github:acme/skills", at, true],
      ["github:acme/*", "https://github.com/acme-evil/skills", false],
      ["github:acme/*", "https://github.com/acme/skills/more", false],
      ["gitlab:acme/**", "https://gitlab.com/acme/tools/skills", true],
      ["gitlab:acme/*", at, false],
      ["github:acme/*", "https://github.acme.com/acme/skills", false],
      ["https://github.acme.com/acme/*", "https://github.acme.com/acme/skills", true],
      ["github:ac.e/*", at, false],
      ["*", at, false],
      ["github:*", at, false],
    ] as const)
      assert.equal(matchesBuilder(pattern, repository), isMatch, `${pattern} ${repository}`);
  });
});
