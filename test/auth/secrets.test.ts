import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openSecrets } from "../../src/secrets.ts";

describe("the file of secrets", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(os.tmpdir(), "svc-secrets-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const open = () => openSecrets({ keys: undefined, dataDir });

  it("is created once, readable by its owner only, and leaves no other file", () => {
    const first = open();
    const second = open();

    assert.equal(second.open(first.seal("text", "id"), "id"), "text");
    assert.equal(second.anonymize("192.0.2.1"), first.anonymize("192.0.2.1"));
    assert.deepEqual(readdirSync(dataDir), ["secrets"]);
    assert.equal(statSync(path.join(dataDir, "secrets")).mode & 0o777, 0o600);
  });

  it("is rejected if it contains no complete key, as after a crash while it was written", () => {
    for (const content of ["", "k1:", "k1:c2hvcnQ=", "no key at all", `k1:${"A".repeat(43)}=,k2:`]) {
      writeFileSync(path.join(dataDir, "secrets"), content);
      assert.throws(open, /^Error: The file .* does not hold keys of 32 bytes/, content);
    }
  });
});

describe("a signature", () => {
  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
  const ring = (...keys: string[]) => openSecrets({ keys: keys.join(","), dataDir: os.tmpdir() });

  it("is valid for its own purpose and text only", () => {
    const secrets = ring(key("a", 1));
    const signature = secrets.sign("invitation", "i1");

    assert.match(signature, /^[\w-]{43}$/);
    assert.equal(secrets.sign("invitation", "i1"), signature);
    assert.equal(secrets.verifySignature("invitation", "i1", signature), true);
    assert.equal(secrets.verifySignature("invitation", "i2", signature), false);
    assert.equal(secrets.verifySignature("reset", "i1", signature), false);
    for (const wrong of ["", signature.slice(1), `${signature}A`, signature.toLowerCase()])
      assert.equal(secrets.verifySignature("invitation", "i1", wrong), false, wrong);
  });

  it("remains valid after the rotation of its key, but not after the key's removal", () => {
    const signature = ring(key("a", 1)).sign("invitation", "i1");

    assert.equal(ring(key("b", 2), key("a", 1)).verifySignature("invitation", "i1", signature), true);
    assert.notEqual(ring(key("b", 2), key("a", 1)).sign("invitation", "i1"), signature);
    assert.equal(ring(key("b", 2)).verifySignature("invitation", "i1", signature), false);
  });

  it("is not made with the key for encryption or hashed addresses", () => {
    const secrets = ring(key("a", 1));
    const plain = createHmac("sha256", Buffer.alloc(32, 1)).update("192.0.2.1").digest();

    assert.notEqual(secrets.sign("address pseudonyms", "192.0.2.1"), plain.toString("base64url"));
    const pseudonym = Buffer.from(secrets.anonymize("192.0.2.1"), "hex").toString("base64url");
    assert.notEqual(secrets.sign("address pseudonyms", "192.0.2.1"), pseudonym);
  });
});
