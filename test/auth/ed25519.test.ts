import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { describe, it } from "node:test";
import { isSafeKey, isSignedBy, readBase64 } from "../../src/auth/anonymous/ed25519.ts";
import { newKey } from "../support/anonymous.ts";
import { encode, isSmallOrder, prime, unsafeKeys } from "../support/edwards.ts";

describe("keys of small order", () => {
  it("are those whose eightfold is the neutral point, and are rejected", () => {
    for (const key of unsafeKeys) {
      assert.ok(isSmallOrder(key), key.toString("hex"));
      assert.equal(isSafeKey(key), false, key.toString("hex"));
    }
  });

  it("would accept a signature that no one made, for some text", () => {
    // R is the neutral point and S is zero, so S·B = R + h·A holds for every text whose h is a multiple of A's order.
    const forged = Buffer.concat([encode(1n, 0n), Buffer.alloc(32)]);

    assert.ok(isSignedBy(encode(1n, 0n), "anything at all", forged));
    assert.equal(isSafeKey(encode(1n, 0n)), false);
  });

  it("are distinguished from real keys, and from coordinates outside the field", () => {
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
  it("accepts both alphabets, and only the canonical encoding", () => {
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

describe("the keys of Node", () => {
  it("sign as in RFC 8032 (section 7.1, test 2)", () => {
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
    // S plus the group's order: a second encoding of the same signature.
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString("hex")}`) + order;
    const twin = Buffer.from(Buffer.from(s.toString(16).padStart(64, "0"), "hex").toReversed());
    assert.ok(
      !isSignedBy(Buffer.from(publicKey, "hex"), "r", Buffer.concat([signature.subarray(0, 32), twin])),
    );
  });
});
