/** kill -9 of `backup` and `restore` at any moment: each is continued, and what is restored is complete. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { callApi } from "../support/http-client.ts";
import { newBucket, objectStoreKeys, whyNoObjectStore } from "../support/object-store.ts";
import { makeSkills } from "../support/publishers.ts";
import { runCount } from "../support/run-count.ts";
import {
  assertNothingRuns,
  removeFolder,
  runServer,
  startServer,
  temporaryFolder,
} from "../support/server.ts";

const kills = runCount(2, 40);
const env = { RATE_LIMITS: "false", LOG_LEVEL: "warn" };
let targets = 0;

describe("a backup and a restore that are killed", () => {
  const folder = temporaryFolder("backup-kill");
  const source = path.join(folder, "source");

  after(async () => {
    await assertNothingRuns(folder);
    removeFolder(folder);
  });

  /** Runs a command that is killed several times, and then to its end. */
  async function insist(dataDir: string, args: string[]): Promise<string> {
    const whole = await runServer({ dataDir: path.join(folder, "timed"), env, args: ["verify"] });
    for (let round = 0; round < kills; round++)
      await runServer({ dataDir, env, args, killAfterMs: randomInt(whole.tookMs * 2) });
    const { code, output } = await runServer({ dataDir, env, args });
    assert.equal(code, 0, output);
    return output;
  }

  let token: string;
  let skills: unknown[];
  before(async () => {
    const server = await startServer({ dataDir: source, env });
    ({ token, skills } = await makeSkills(server));
    await server.stop();
  });

  it("are continued, and the service starts with every version", () =>
    assertRestored(path.join(folder, "backups")));

  it("are continued in a bucket", { skip: whyNoObjectStore() ?? false }, async () => {
    const { location } = await newBucket();
    const { bucket, endpoint } = location;
    Object.assign(env, {
      AWS_ACCESS_KEY_ID: objectStoreKeys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: objectStoreKeys.secretAccessKey,
    });
    await assertRestored(`s3://${bucket}/backups?endpoint=${endpoint}`);
  });

  async function assertRestored(backups: string) {
    const target = path.join(folder, `target-${++targets}`);
    assert.match(
      await insist(source, ["backup", backups]),
      new RegExp(`Backed up ${skills.length} repositories`),
    );
    const half = await runServer({ dataDir: target, env, args: ["restore", backups], killAfterMs: 50 });
    assert.equal(half.signal, "SIGKILL");
    const isWhole = (text: string) => text.includes("is not empty");
    const restored = await insist(target, ["restore", backups]).catch((error: Error) => error.message);
    // One of the killed runs may have been at its end.
    assert.ok(isWhole(restored) || restored.includes(`${skills.length} skills`), restored);

    const verified = await runServer({ dataDir: target, env, args: ["verify"] });
    assert.deepEqual([verified.code, / 0 faults\./.test(verified.output)], [0, true], verified.output);
    const again = await startServer({ dataDir: target, env });
    const { data } = await callApi<unknown[]>(again.url, "GET", "/api/skills", { token });
    assert.equal(data.length, skills.length);
    await again.stop();
  }
});
