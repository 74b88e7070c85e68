import assert from "node:assert/strict";
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

  it("is made once, for its owner alone, and nothing lies beside it", () => {
    const first = open();
    const second = open();

    assert.equal(second.open(first.seal("text", "id"), "id"), "text");
    assert.equal(second.anonymize("192.0.2.1"), first.anonymize("192.0.2.1"));
    assert.deepEqual(readdirSync(dataDir), ["secrets"]);
    assert.equal(statSync(path.join(dataDir, "secrets")).mode & 0o777, 0o600);
  });

  it("is refused when it holds no whole key, as after a stop while it was written", () => {
    for (const content of ["", "k1:", "k1:c2hvcnQ=", "no key at all", `k1:${"A".repeat(43)}=,k2:`]) {
      writeFileSync(path.join(dataDir, "secrets"), content);
      assert.throws(open, /^Error: The file .* does not hold keys of 32 bytes/, content);
    }
  });
});
