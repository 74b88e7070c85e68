/** Anonymous identities: registration, and what a signature is worth. */
import assert from "node:assert/strict";
import { createHash, createPrivateKey, randomBytes, sign } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { isSafeKey, isSignedBy, readBase64 } from "../../src/auth/ed25519.ts";
import { purge } from "../../workers/upkeep/purge.ts";
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
import { startService, type TestService } from "../support/service.ts";
import { makePackage } from "../support/zip.ts";

let service: TestService;
let aheadMs = 0;
before(async () => {
  service = await startService({ now: () => new Date(Date.now() + aheadMs) });
});
after(() => service.close());
beforeEach(() => (aheadMs = 0));

const prime = 2n ** 255n - 19n;
const d = mod(-121665n * power(121666n, prime - 2n));
function mod(value: bigint): bigint {
  return ((value % prime) + prime) % prime;
}
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
type Point = [x: bigint, y: bigint];
/** The complete addition of RFC 8032, section 5.1, in affine coordinates. */
function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const product = mod(d * x1 * x2 * y1 * y2);
  return [
    mod((x1 * y2 + x2 * y1) * power(1n + product, prime - 2n)),
    mod((y1 * y2 + x1 * x2) * power(1n - product, prime - 2n)),
  ];
}
/** Section 5.1.3; undefined for what is no point of the curve. */
function decode(bytes: Buffer): Point | undefined {
  const encoded = BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`);
  const y = mod(encoded & (2n ** 255n - 1n));
  const square = mod((y * y - 1n) * power(d * y * y + 1n, prime - 2n));
  let x = power(square, (prime + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * power(2n, (prime - 1n) / 4n));
  if (mod(x * x) !== square) return undefined;
  return [(x & 1n) === encoded >> 255n ? x : mod(-x), y];
}
function encode(y: bigint, isOdd: 0n | 1n): Buffer {
  const hex = (y | (isOdd << 255n)).toString(16).padStart(64, "0");
  return Buffer.from(Buffer.from(hex, "hex").toReversed());
}
function isSmallOrder(bytes: Buffer): boolean {
  let point = decode(bytes);
  for (let doubled = 0; doubled < 3 && point; doubled++) point = add(point, point);
  return point !== undefined && point[0] === 0n && point[1] === 1n;
}

const eighth = BigInt(
  `0x${Buffer.from(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex").toReversed()).toString("hex")}`,
);
/** Every way of writing the eight points of small order, those beyond the field included. */
const unsafeKeys = [0n, 1n, prime - 1n, prime, prime + 1n, eighth, mod(-eighth)].flatMap((y) => [
  encode(y, 0n),
  encode(y, 1n),
]);

describe("keys of small order", () => {
  it("are all of those that eight times themselves make nothing, and are refused", () => {
    for (const key of unsafeKeys) {
      assert.ok(isSmallOrder(key), key.toString("hex"));
      assert.equal(isSafeKey(key), false, key.toString("hex"));
    }
  });

  it("would sign anything: one of them fits a signature that nobody made", () => {
    // R is the neutral point and S is zero, so S·B = R + h·A holds for every text whose h is a multiple of A's order.
    const forged = Buffer.concat([encode(1n, 0n), Buffer.alloc(32)]);

    assert.ok(isSignedBy(encode(1n, 0n), "anything at all", forged));
    assert.equal(isSafeKey(encode(1n, 0n)), false);
  });

  it("are told from real ones, and from coordinates beyond the field", () => {
    for (let i = 0; i < 50; i++) {
      const key = Buffer.from(newKey().publicKey, "base64url");
      assert.ok(isSafeKey(key));
      assert.equal(isSmallOrder(key), false);
    }
    for (let beyond = 0n; beyond < 19n; beyond++)
      assert.equal(isSafeKey(encode(prime + beyond, 0n)), false, `p + ${beyond}`);
  });
});

describe("reading base64", () => {
  it("takes both alphabets and one way of writing only", () => {
    const bytes = Buffer.from(`${"fb".repeat(31)}ff`, "hex");
    const text = bytes.toString("base64url");

    assert.deepEqual(readBase64(text, 32), bytes);
    assert.deepEqual(readBase64(bytes.toString("base64"), 32), bytes);
    const last = text.at(-1)!;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const twin = alphabet[alphabet.indexOf(last) ^ 1]!;
    for (const wrong of [text.slice(0, -1) + twin, `${text}A`, text.slice(1), ` ${text}`, "", "ü".repeat(43)])
      assert.equal(readBase64(wrong, 32), undefined, wrong);
  });
});

describe("registering a key", () => {
  it("makes one identity of it, however often and at once it is asked for", async () => {
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
      [
        {
          name: "user.anonymous_registered",
          tenantId: identity.id,
          actor: { type: "anonymous", id: identity.id, name: identity.username },
        },
      ],
    );
  });

  it("refuses keys that prove nothing, whatever signature comes with them", async () => {
    const forged = Buffer.concat([encode(1n, 0n), Buffer.alloc(32)]).toString("base64url");
    for (const bytes of unsafeKeys) {
      const key = { ...newKey(), publicKey: bytes.toString("base64url") };
      for (const signature of [forged, undefined]) {
        const answer = await register(service, key, signature === undefined ? {} : { signature });
        assert.equal(answer.code, "refused", bytes.toString("hex"));
      }
    }
  });

  it("refuses what is no key, and signatures of others", async () => {
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

  it("is held back where it is done too often", async () => {
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

  it("acts as the identity, by a signature that is its own", async () => {
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

  it("is refused for anything that was not signed as it is", async () => {
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

  it("is refused where a part is missing or there twice, and never falls back to a cookie", async () => {
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

  it("goes with no token beside it", async () => {
    const identity = await newIdentity(service);
    const person = await service.newUser();
    const both = await signedCall(service, identity, "GET", get, { token: person.token });

    assert.equal(both.code, "invalid_request");
    const wrongToken = await signedCall(service, identity, "GET", get, { token: "lsk_wrong" });
    assert.equal(wrongToken.code, "invalid_request");
  });

  it("counts once, also when it is sent many times at once", async () => {
    const identity = await newIdentity(service);
    const headers = signatureOf(identity, { method: "GET", path: get, body: "", now: new Date() });

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call("GET", get, { headers })),
    );

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const { status, details } of answers)
      if (status !== 200) assert.equal(details?.["reason"], "replayed");
  });

  it("uses up no nonce of somebody else, and none that was forged", async () => {
    const [identity, other] = [await newIdentity(service), await newIdentity(service)];
    const nonce = newNonce();

    await signedCall(service, identity, "GET", get, { forged: { nonce, privateKey: other.privateKey } });
    assert.equal((await signedCall(service, other, "GET", get, { forged: { nonce } })).status, 200);
    assert.equal((await signedCall(service, identity, "GET", get, { forged: { nonce } })).status, 200);
  });

  it("holds to the edge of the window on either side, and its nonce for longer than it can be sent again", async () => {
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
    aheadMs = (2 * seconds - 5) * 1000;
    await purge(service.app);
    const again = await signedCall(service, identity, "GET", get, { forged: { timestamp, nonce } });
    assert.equal(again.details?.["reason"], "replayed");
    aheadMs = 4 * limits.signatureWindowMs;
    await purge(service.app);
    assert.equal(await nonces.countDocuments(), 0);
  });

  it("takes no body that is too large, and hashes what came", async () => {
    const identity = await newIdentity(service);
    const huge = { name: "Huge", content: "x".repeat(limits.jsonBodyBytes) };

    assert.equal((await share(service, identity, huge)).code, "payload_too_large");
    const binary = await signedCall(service, identity, "POST", "/api/share", {
      bytes: Buffer.of(0xff, 0xfe),
    });
    assert.equal(binary.code, "unsupported_media_type");
  });

  it("counts against the address while it does not hold", async () => {
    const limited = await startService({ rateLimits: true });
    try {
      const identity = await newIdentity(limited);
      const consumed: string[] = [];
      const { consume } = limited.app.rateLimits;
      limited.app.rateLimits.consume = async (budget, caller) => {
        consumed.push(`${budget} ${caller.split(":")[0]!.length > 30 ? "address" : caller}`);
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
  it("takes the bytes that were announced, from whoever announced them", async () => {
    const [identity, other] = [await newIdentity(service), await newIdentity(service)];
    const zip = makePackage("kit");
    const uploadId = await stage(service, identity, zip);

    const stolen = await share(service, other, { uploadId });
    assert.equal(stolen.code, "not_found");
    assert.equal((await share(service, identity, { uploadId })).status, 201);
  });

  it("is refused to others, and with other bytes", async () => {
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

  it("leaves no more than two open", async () => {
    const identity = await newIdentity(service);
    const announce = () =>
      signedCall(service, identity, "POST", "/api/uploads", { body: { size: 1, sha256: "0".repeat(64) } });

    const codes = (await Promise.all(Array.from({ length: 8 }, announce))).map(({ code }) => code ?? "made");

    assert.equal(codes.filter((code) => code === "made").length, limits.anonymousUploads);
    assert.equal(codes.filter((code) => code === "limit_reached").length, 8 - limits.anonymousUploads);
  });

  it("is nothing for other streams", async () => {
    const identity = await newIdentity(service);
    const answer = await signedCall(service, identity, "PUT", `/api/tenants/${identity.id}/avatar`, {
      bytes: Buffer.from("x"),
    });

    assert.equal(answer.code, "unauthenticated");
  });
});

describe("the keys of Node", () => {
  it("sign as RFC 8032 has it (section 7.1, test 2)", () => {
    const seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
    const publicKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    const key = createPrivateKey({
      key: {
        kty: "OKP",
        crv: "Ed25519",
        d: Buffer.from(seed, "hex").toString("base64url"),
        x: Buffer.from(publicKey, "hex").toString("base64url"),
      },
      format: "jwk",
    });
    const expected =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    const signature = sign(null, Buffer.of(0x72), key);

    assert.equal(signature.toString("hex"), expected);
    assert.ok(isSignedBy(Buffer.from(publicKey, "hex"), "r", signature));
    // S plus the group's order: the same signature in another writing.
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString("hex")}`) + order;
    const twin = Buffer.from(Buffer.from(s.toString(16).padStart(64, "0"), "hex").toReversed());
    assert.ok(
      !isSignedBy(Buffer.from(publicKey, "hex"), "r", Buffer.concat([signature.subarray(0, 32), twin])),
    );
  });
});
