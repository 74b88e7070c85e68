import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { openLog } from "../../src/log.ts";
import { openQueue } from "../../src/queue/index.ts";
import type { EngineUnderTest } from "./suite.ts";

/** The line that a start logs after ten seconds, as long as a queue which can't be reached is given. */
const notice = /waiting for the .*job queue.*slow to respond/;

/** Opens the queue while its engine accepts connections and does not respond, until the start has logged that. */
export async function assertSlowStart(t: TestContext, engine: EngineUnderTest): Promise<void> {
  const pid = engine.pid();
  if (pid === undefined) return t.skip("the engine is not ours to stop");
  const lines: string[] = [];
  const log = openLog("warn", {
    write(line) {
      lines.push(line);
      if (notice.test(line)) setTimeout(() => process.kill(pid, "SIGCONT"), 500);
    },
  });
  process.kill(pid, "SIGSTOP");
  t.after(() => process.kill(pid, "SIGCONT"));

  const opened = await openQueue(engine.place, log);

  t.after(() => opened.close());
  assert.ok((await opened.counts()).sync);
  assert.match(lines.join(""), notice);
}
