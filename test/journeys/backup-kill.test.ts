/** kill -9 of `backup` and `restore` at any moment: each is continued, and what is restored is complete. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import path from "node:path";
import { after, describe, it } from "node:test";
import { callApi } from "../support/http-client.ts";
import { makeSkills } from "../support/publishers.ts";
import { runCount } from "../support/run-count.ts";
import {
  assertNothingRuns,
  removeFolder,
  runServer,
  startServer,
  temporaryFolder,
} from "../support/server.ts";

const kills = runCount(3, 40);
const env = { RATE_LIMITS: "false", LOG_LEVEL: "warn" };

describe("a backup and a restore that are killed", () => {
  const folder = temporaryFolder("backup-kill");
  const [source, target] = [path.join(folder, "source"), path.join(folder, "target")];
  const backups = path.join(folder, "backups");

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

  it("are continued, and the service starts with every version", async () => {
    const server = await startServer({ dataDir: source, env });
    const { token, skills } = await makeSkills(server);
    await server.stop();

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
  });
});
