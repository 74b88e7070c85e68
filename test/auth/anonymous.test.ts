/** Anonymous identities: registration and signed requests. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import {
  newIdentity,
  newKey,
  newNonce,
  register,
  share,
  signatureOf,
  signedCall,
  stage,
  type Forged,
} from "../support/anonymous.ts";
import { encode, unsafeKeys } from "../support/edwards.ts";
import { startService } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makePackage } from "../support/zip.ts";

const { service, clock: serviceClock } = await setUpService();

beforeEach(() => (serviceClock.aheadMs = 0));

describe("registering a key", () => {
  it("creates one identity, however often and concurrently it is requested", async () => {
    const key = newKey();

    const answers = await Promise.all(Array.from({ length: 20 }, () => register(service, key)));

    for (const answer of answers) assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const [{ identity }] = [answers[0]!.data];
    for (const answer of answers) assert.deepEqual(answer.data.identity, identity);
    assert.match(identity.username, /^anon-[b-z]{10}$/);
    assert.deepEqual(identity, {
      id: identity.id,
      username: identity.username,
      tenantSlug: identity.username,
      anonymous: true,
    });
    await service.settled();
    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .find({ resourceId: identity.id })
      .toArray();
    assert.deepEqual(
      events.map(({ name, tenantId, actor }) => ({ name, tenantId, actor: actor as unknown })),
      [identity.id, "service"].map((tenantId) => ({
        name: "user.anonymous_registered",
        tenantId,
        actor: { type: "anonymous", id: identity.id, name: identity.username },
      })),
    );
    const administrator = await service.newUser();
    await service.app.storage.database.raw
      .collection<{ _id: string }>("users")
      .updateOne({ _id: administrator.id }, { $set: { isAdministrator: true } });
    const target = `/api/admin/audit-log?action=user.anonymous_registered&resource_id=${identity.id}`;
    const log = await service.call<{ entries: unknown[] }>("GET", target, { token: administrator.token });
    assert.equal(log.data.entries.length, 1, JSON.stringify(log.body));
    const { token } = await service.newUser();
    assert.equal((await service.call("GET", target, { token })).status, 404);
  });

  it("rejects unsafe keys with any signature", async () => {
    const forged = Buffer.concat([encode(1n, 0n), Buffer.alloc(32)]).toString("base64url");
    for (const bytes of unsafeKeys) {
      const key = { ...newKey(), publicKey: bytes.toString("base64url") };
      for (const signature of [forged, undefined]) {
        const answer = await register(service, key, signature === undefined ? {} : { signature });
        assert.equal(answer.code, "refused", bytes.toString("hex"));
      }
    }
  });

  it("rejects invalid keys, and signatures by other keys", async () => {
    const key = newKey();
    const bytes = Buffer.from(key.publicKey, "base64url");
    for (const publicKey of [
      bytes.subarray(1).toString("base64url"),
      Buffer.concat([bytes, Buffer.of(0)]).toString("base64url"),
      bytes.toString("hex"),
      "",
      "not a key at all, but as long as one would be",
      `${key.publicKey}\n`,
    ])
      assert.equal((await register(service, { ...key, publicKey })).code, "invalid_request", publicKey);
    const others: Forged[] = [
      { privateKey: newKey().privateKey },
      { path: "/api/share" },
      { method: "PUT" },
      { body: "another body" },
      { signature: randomBytes(64).toString("base64url") },
      { signature: "short" },
      { timestamp: Math.round(Date.now() / 1000) - 400 },
      { timestamp: Math.round(Date.now() / 1000) + 400 },
      { nonce: "short" },
    ];
    for (const forged of others)
      assert.equal((await register(service, key, forged)).code, "unauthenticated", JSON.stringify(forged));
    const nonce = newNonce();
    assert.equal((await register(service, key, { nonce })).status, 200);
    assert.equal((await register(service, key, { nonce })).details?.["reason"], "replayed");
  });

  it("is rate-limited", async () => {
    const limited = await startService({ rateLimits: true });
    try {
      const codes = new Set<string | undefined>();
      for (let i = 0; i < 61; i++) codes.add((await register(limited)).code);
      assert.deepEqual(codes, new Set([undefined, "rate_limited"]));
    } finally {
      await limited.close();
    }
  });
});

describe("a signed call", () => {
  const get = "/api/skills?limit=5";

  it("acts as the identity if the signature is its own", async () => {
    const identity = await newIdentity(service);

    assert.equal((await signedCall(service, identity, "GET", get)).status, 200);
    for (const method of ["GET", "POST", "PATCH", "DELETE"])
      for (const path of ["/api/user/profile", "/api/tenants", `/api/tenants/${identity.id}`]) {
        const options = method === "GET" ? {} : { body: { name: "Mine" } };
        const answer = await signedCall(service, identity, method, path, options);
        assert.ok(answer.status >= 400 || path === "/api/tenants", `${method} ${path}: ${answer.status}`);
        if (answer.status < 300) assert.deepEqual(answer.data, []);
      }
  });

  it("is rejected if any part differs from what was signed", async () => {
    const [identity, other] = [await newIdentity(service), await newIdentity(service)];
    const body = { name: "Signed", content: "x\n" };
    const now = Math.round(Date.now() / 1000);
    const forgeries: [Forged, reason: string][] = [
      [{ body: JSON.stringify({ ...body, content: "y\n" }) }, "signature"],
      [{ body: "" }, "signature"],
      [{ method: "PUT" }, "signature"],
      [{ method: "post" }, "signature"],
      [{ path: "/api/share?x=1" }, "signature"],
      [{ path: "/api/skills" }, "signature"],
      [{ path: "//api/share" }, "signature"],
      [{ privateKey: other.privateKey }, "signature"],
      [{ keyId: other.id }, "signature"],
      [{ signature: randomBytes(64).toString("base64url") }, "signature"],
      [{ signature: "%%%" }, "signature"],
      [{ keyId: service.app.newId() }, "unknown_key"],
      [{ keyId: "../../etc/passwd" }, "unknown_key"],
      [{ keyId: identity.publicKey }, "unknown_key"],
      [{ timestamp: now - 302 }, "clock"],
      [{ timestamp: now + 302 }, "clock"],
      [{ timestamp: 0 }, "clock"],
      [{ timestamp: "1e9" }, "malformed"],
      [{ timestamp: -1 }, "malformed"],
      [{ timestamp: "9".repeat(400) }, "malformed"],
      [{ nonce: "x" }, "malformed"],
      [{ nonce: "x".repeat(65) }, "malformed"],
      [{ nonce: "with a blank in the middle" }, "malformed"],
    ];
    for (const [forged, reason] of forgeries) {
      const answer = await share(service, identity, body, forged);
      assert.equal(answer.status, 401, JSON.stringify(forged));
      assert.equal(answer.details?.["reason"], reason, JSON.stringify(forged));
    }
    assert.deepEqual((await signedCall(service, identity, "GET", get)).data, []);
  });

  it("is rejected if a part is missing or duplicated, and never falls back to a cookie", async () => {
    const identity = await newIdentity(service);
    const person = await service.newUser();
    const headers = signatureOf(identity, { method: "GET", path: get, body: "", now: new Date() });
    for (const name of Object.keys(headers)) {
      const { [name]: _left, ...rest } = headers;
      const answer = await service.call("GET", get, { cookie: person.cookie, headers: rest });
      assert.equal(answer.status, 401, name);
      const doubled = { ...headers, [name]: `${headers[name]}, ${headers[name]}` };
      assert.equal((await service.call("GET", get, { headers: doubled })).status, 401, `${name} twice`);
    }
  });

  it("is rejected together with a token", async () => {
    const identity = await newIdentity(service);
    const person = await service.newUser();
    const both = await signedCall(service, identity, "GET", get, { token: person.token });

    assert.equal(both.code, "invalid_request");
    const wrongToken = await signedCall(service, identity, "GET", get, { token: "lsk_wrong" });
    assert.equal(wrongToken.code, "invalid_request");
  });

  it("succeeds once, also when it is sent many times at once", async () => {
    const identity = await newIdentity(service);
    const headers = signatureOf(identity, { method: "GET", path: get, body: "", now: new Date() });

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call("GET", get, { headers })),
    );

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const { status, details } of answers)
      if (status !== 200) assert.equal(details?.["reason"], "replayed");
  });

  it("consumes no nonce of another identity, and none if it is forged", async () => {
    const [identity, other] = [await newIdentity(service), await newIdentity(service)];
    const nonce = newNonce();

    await signedCall(service, identity, "GET", get, { forged: { nonce, privateKey: other.privateKey } });
    assert.equal((await signedCall(service, other, "GET", get, { forged: { nonce } })).status, 200);
    assert.equal((await signedCall(service, identity, "GET", get, { forged: { nonce } })).status, 200);
  });

  it("is valid up to both ends of the time window, and its nonce is stored for longer", async () => {
    const identity = await newIdentity(service);
    const nonces = service.app.storage.database.raw.collection("signature_nonces");
    const seconds = limits.signatureWindowMs / 1000 - 5;
    for (const timestamp of [
      Math.round(Date.now() / 1000) - seconds,
      Math.round(Date.now() / 1000) + seconds,
    ])
      assert.equal((await signedCall(service, identity, "GET", get, { forged: { timestamp } })).status, 200);

    const nonce = newNonce();
    const timestamp = Math.round(Date.now() / 1000) + seconds;
    assert.equal(
      (await signedCall(service, identity, "GET", get, { forged: { timestamp, nonce } })).status,
      200,
    );
    serviceClock.aheadMs = (2 * seconds - 5) * 1000;
    await purge(service.app);
    const again = await signedCall(service, identity, "GET", get, { forged: { timestamp, nonce } });
    assert.equal(again.details?.["reason"], "replayed");
    serviceClock.aheadMs = 4 * limits.signatureWindowMs;
    await purge(service.app);
    assert.equal(await nonces.countDocuments(), 0);
  });

  it("rejects a body that is too large, and hashes the received bytes", async () => {
    const identity = await newIdentity(service);
    const huge = { name: "Huge", content: "x".repeat(limits.jsonBodyBytes) };

    assert.equal((await share(service, identity, huge)).code, "payload_too_large");
    const binary = await signedCall(service, identity, "POST", "/api/share", {
      bytes: Buffer.of(0xff, 0xfe),
    });
    assert.equal(binary.code, "unsupported_media_type");
  });

  it("counts towards the address's limit if it is invalid", async () => {
    const limited = await startService({ rateLimits: true });
    try {
      const identity = await newIdentity(limited);
      const consumed: string[] = [];
      const { consume } = limited.app.rateLimits;
      limited.app.rateLimits.consume = async (budget, caller) => {
        consumed.push(`${budget} ${typeof caller === "string" ? caller : "address"}`);
        return consume(budget, caller);
      };
      await signedCall(limited, identity, "GET", get, { forged: { method: "PUT" } });
      assert.ok(consumed.includes("general address"), consumed.join());
      await signedCall(limited, identity, "GET", get);
      assert.ok(consumed.includes(`general key:${identity.id}`), consumed.join());
    } finally {
      await limited.close();
    }
  });
});

describe("a signed upload", () => {
  it("can be used only by the identity that announced it", async () => {
    const [identity, other] = [await newIdentity(service), await newIdentity(service)];
    const zip = makePackage("kit");
    const uploadId = await stage(service, identity, zip);

    const stolen = await share(service, other, { uploadId });
    assert.equal(stolen.code, "not_found");
    assert.equal((await share(service, identity, { uploadId })).status, 201);
  });

  it("is rejected from others, and with other bytes", async () => {
    const [identity, other] = [await newIdentity(service), await newIdentity(service)];
    const zip = makePackage("kit");
    const announced = await signedCall<{ uploadId: string }>(service, identity, "POST", "/api/uploads", {
      body: { size: zip.length, sha256: createHash("sha256").update(zip).digest("hex") },
    });
    const path = `/api/uploads/${announced.data.uploadId}`;

    assert.equal((await signedCall(service, other, "PUT", path, { bytes: zip })).code, "unauthenticated");
    const swapped = Buffer.from(zip);
    swapped[swapped.length - 1]! ^= 1;
    assert.equal(
      (await signedCall(service, identity, "PUT", path, { bytes: swapped })).code,
      "unauthenticated",
    );
    const lied = await signedCall(service, identity, "PUT", path, { bytes: swapped, forged: { body: zip } });
    assert.equal(lied.code, "upload_mismatch");
    assert.equal((await signedCall(service, identity, "PUT", path, { bytes: zip })).status, 200);
  });

  it("is limited to two open ones", async () => {
    const identity = await newIdentity(service);
    const announce = () =>
      signedCall(service, identity, "POST", "/api/uploads", { body: { size: 1, sha256: "0".repeat(64) } });

    for (let n = 0; n < 5; n++) assert.equal((await announce()).status, 201);

    const listed = await signedCall<unknown[]>(service, identity, "GET", "/api/uploads");
    assert.equal(listed.data.length, limits.anonymousUploads);
  });

  it("is not accepted for other streams", async () => {
    const identity = await newIdentity(service);
    const answer = await signedCall(service, identity, "PUT", `/api/tenants/${identity.id}/avatar`, {
      bytes: Buffer.from("x"),
    });

    assert.equal(answer.code, "unauthenticated");
  });
});
