import assert from "node:assert/strict";
import type { TestContext } from "node:test";

import { openLog } from "../../src/log.ts";
import { openQueue } from "../../src/queue/index.ts";
import type { EngineUnderTest } from "./suite.ts";

/** Longer than the ten seconds that a queue which can't be reached is given. */
const stoppedMs = 10_500;

/** Opens the queue while its engine accepts connections and does not respond. */
export async function assertSlowStart(t: TestContext, engine: EngineUnderTest): Promise<void> {
  const pid = engine.pid();
  if (pid === undefined) return t.skip("the engine is not ours to stop");
  const lines: string[] = [];
  const log = openLog("warn", { write: (line) => void lines.push(line) });
  process.kill(pid, "SIGSTOP");
  const resume = setTimeout(() => process.kill(pid, "SIGCONT"), stoppedMs);
  t.after(() => {
    clearTimeout(resume);
    process.kill(pid, "SIGCONT");
  });

  const opened = await openQueue(engine.place, log);

  t.after(() => opened.close());
  assert.ok((await opened.counts()).sync);
  assert.match(lines.join(""), /waiting for the .*job queue.*slow to respond/);
}
