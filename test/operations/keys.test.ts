import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { openLog } from "../../src/log.ts";
import { bindRecoveryCodes, hashOfCode, newRecoveryCodes } from "../../src/mfa/recovery-codes.ts";
import { closeStores, openStores } from "../../src/open.ts";
import { claimKeyRing } from "../../src/operations/keys/claim-key-ring.ts";
import { examineKeys } from "../../src/operations/keys/examine-keys.ts";
import { forgetKey } from "../../src/operations/keys/forget-key.ts";
import { rotateKeys } from "../../src/operations/keys/rotate-keys.ts";
import { sealedFields } from "../../src/operations/keys/sealed-fields.ts";
import { openSecrets, type Secrets } from "../../src/secrets.ts";
import { product, texts } from "../house/sources.ts";
import { emptyDatabase, testDatabase } from "../support/engine.ts";

const dayMs = 86_400_000;
const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
const [k1, k2, otherK1] = [key("k1", 1), key("k2", 2), key("k1", 3)] as const;

let aheadMs = 0;

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-keys-"));
const { url: mongodbUrl, name: mongodbDatabase } = await testDatabase();
const config = { ...readConfig({ DATA_DIR: folder }), mongodbDatabase };
const now = () => new Date(Date.now() + aheadMs);
const stores = await openStores({ config, log: openLog("silent"), mongodbUrl, now });

after(async () => {
  await closeStores(stores);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  aheadMs = 0;
  await emptyDatabase(stores.storage.database.raw);
});

/** A process with these keys. */
const by = (...keys: string[]) => withSecrets(openSecrets({ keys: keys.join(","), dataDir: folder }));
const withSecrets = (secrets: Secrets) => ({
  ...stores,
  config: { ...stores.config, secretKeys: "set" },
  secrets,
});

type Process = ReturnType<typeof withSecrets>;

/** A document for each field, sealed by a process. */
async function fill(app: Process): Promise<void> {
  for (const field of sealedFields) {
    const _id = "row";
    const sealed = app.secrets.seal("secret", field.recordId({ _id }));
    await stores.storage.database
      .collection<{ _id: string }>(field.collection)
      .updateOne({ _id }, { $set: { [field.path]: sealed } }, { upsert: true });
  }
}

async function sealedBy(): Promise<string[]> {
  const found: string[] = [];
  for (const { collection, path: at } of sealedFields)
    for (const row of await stores.storage.database.raw
      .collection(collection)
      .find({ [at]: { $exists: true } })
      .toArray())
      found.push(
        at
          .split(".")
          .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], row) as string,
      );
  return found.map((value) => value.split(".")[1]!);
}

describe("the key ring of a service", () => {
  it("is the one of the process that stores it first, of those that start at the same time", async () => {
    const processes = ["a", "b", "c"].map((name) => {
      const dataDir = path.join(folder, name);
      return withSecrets(openSecrets({ keys: undefined, dataDir }));
    });

    const results = await Promise.allSettled(processes.map((app) => claimKeyRing(app)));

    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    for (const result of results)
      if (result.status === "rejected")
        assert.match(
          String(result.reason),
          /^Error: The key "k1" of this process is not the one .* SECRET_KEYS/,
        );
    assert.throws(
      () => openSecrets({ keys: undefined, dataDir: path.join(folder, "d"), mayCreate: false }),
      /^Error: The file .*secrets is missing, and this database was used with its keys: copy it/,
    );
  });

  it("contains no key", async () => {
    await claimKeyRing(by(k1));
    const stored = JSON.stringify(await stores.storage.keyRing.find());
    for (const form of ["base64", "base64url", "hex"] as const)
      assert.ok(!stored.includes(Buffer.alloc(32, 1).toString(form)));
  });

  it("refuses another key with the same id, and a ring without a key in use", async () => {
    await claimKeyRing(by(k1));
    await fill(by(k1));

    await claimKeyRing(by(k1));
    await claimKeyRing(by(k1, k2));
    await assert.rejects(claimKeyRing(by(otherK1)), /key "k1" of this process is not the one/);
    await assert.rejects(claimKeyRing(by(k2)), /The key "k1" is missing, which encrypts \d+ stored secrets/);
    await assert.rejects(claimKeyRing(by(k2, otherK1)), /key "k1" of this process is not the one/);
  });

  it("is adopted from the secrets that an earlier version has stored", async () => {
    await fill(by(k1));
    await assert.rejects(claimKeyRing(by(k2)), /The key "k1" is missing/);
    await claimKeyRing(by(k1));
  });

  it("does without a lost key once the operator says so", async () => {
    await claimKeyRing(by(k1));
    await fill(by(k1));

    assert.equal(await forgetKey(stores, "k1"), sealedFields.length);
    await claimKeyRing(by(k2));
    await assert.rejects(forgetKey(stores, "k1"), /no key "k1"/);
  });
});

describe("a rotation of keys", () => {
  it("encrypts everything again, after which the old key can be removed", async () => {
    await claimKeyRing(by(k1));
    await fill(by(k1));
    await claimKeyRing(by(k2, k1));
    const findings = async () => (await examineKeys(stores)).map(({ text }) => text);
    assert.ok(
      (await findings()).some((text) => text.startsWith(`Key k1: still encrypts ${sealedFields.length} `)),
    );

    await rotateKeys(by(k2, k1));

    assert.deepEqual(new Set(await sealedBy()), new Set(["k2"]));
    for (const field of sealedFields)
      for await (const row of stores.storage.sealedValues.eachOfOtherKeys(field, "none")) {
        const value = field.path
          .split(".")
          .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], row);
        assert.equal(by(k2).secrets.open(value as string, field.recordId(row as { _id: string })), "secret");
      }
    assert.ok(
      (await findings()).some((text) =>
        text.startsWith("Key k1: encrypts nothing, and can be removed. Before"),
      ),
    );
    aheadMs = 31 * dayMs;
    assert.ok((await findings()).includes("Key k1: encrypts nothing, and can be removed."));
    await claimKeyRing(by(k2));
    assert.ok(!(await findings()).some((text) => text.startsWith("Key k1")));
  });

  it("keeps recovery codes of earlier versions of the service valid without the old key", async () => {
    const { codes, fields } = newRecoveryCodes(by(k1), "u1");
    const users = stores.storage.database.collection<{ _id: string; factors: { recovery: string[] } }>(
      "users",
    );
    await users.insertOne({ _id: "u1", factors: { recovery: fields.recovery } });
    const user = async () => (await users.findOne({ _id: "u1" })) as never;
    assert.ok(hashOfCode(by(k1), await user(), codes[0]!));

    await bindRecoveryCodes(by(k2, k1));
    await rotateKeys(by(k2, k1));

    for (const code of codes) assert.ok(hashOfCode(by(k2), await user(), code));
    assert.equal(hashOfCode(by(k2), await user(), "AAAAA-AAAAA"), undefined);
  });

  it("covers every file that encrypts with a key of the ring", () => {
    const sealing = product.filter(
      (file) => !file.startsWith("src/operations/") && /secrets\s*\.seal\(/.test(texts.get(file)!),
    );

    assert.deepEqual(sealing.sort(), [...new Set(sealedFields.flatMap(({ sealedIn }) => sealedIn))].sort());
  });
});
