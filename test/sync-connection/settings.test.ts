import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";

const pem = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString()
  .trim();

describe("the settings of the sync", () => {
  it("accept the App's key in each form that a variable can contain", () => {
    for (const key of [pem, pem.replaceAll("\n", "\\n"), Buffer.from(`${pem}\n`).toString("base64")]) {
      const { github } = readConfig({ GITHUB_APP_ID: "12", GITHUB_APP_PRIVATE_KEY: key });
      assert.deepEqual(github.app, { id: 12, privateKey: pem, proof: "tag" });
    }
  });

  it("reject an invalid key or secret, and never repeat it", () => {
    for (const env of [{ GITHUB_APP_PRIVATE_KEY: "hunter2-hunter2" }, { GITHUB_WEBHOOK_SECRETS: "hunter2" }])
      assert.throws(
        () => readConfig(env),
        (error: Error) => /GITHUB_/.test(error.message) && !/hunter2/.test(error.message),
      );
  });

  it("default to GitHub, without an App and without access to private networks", () => {
    const { github, localRepositories, syncPrivateNetwork } = readConfig({});

    assert.deepEqual(
      [github.url, github.apiUrl, github.app, github.webhookSecrets, localRepositories, syncPrivateNetwork],
      ["https://github.com", "https://api.github.com", undefined, [], undefined, false],
    );
  });
});
