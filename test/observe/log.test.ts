/** The lines of the log. */
import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { foldMs } from "../../src/fold-warnings.ts";
import { readableLine } from "../../src/log-lines.ts";
import { openLog } from "../../src/log.ts";

type Line = Record<string, unknown> & {
  error?: { message: string; stack: string; cause?: { message: string } };
};

function openTestLog() {
  const written: string[] = [];
  const log = openLog("info", { write: (line) => written.push(line) });
  return { log, written, lines: () => written.map((line) => JSON.parse(line) as Line) };
}

describe("repeated warnings", () => {
  afterEach(() => mock.timers.reset());

  it("are written once, and then counted", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { log, lines } = openTestLog();
    const away = () => new Error("connect ECONNREFUSED");
    for (let n = 0; n < 100; n++) log.warn({ error: away(), n }, "the queue does not respond");
    log.child({ part: "mail" }).warn({ error: away() }, "the queue does not respond");
    log.warn({ error: new Error("another one") }, "the queue does not respond");
    log.warn({}, "a different warning");
    assert.equal(lines().length, 3);

    mock.timers.tick(foldMs);
    const summary = lines()[3]!;
    assert.equal(lines().length, 4);
    assert.deepEqual(
      [summary["level"], summary["msg"], summary["repeated"]],
      ["warn", "the queue does not respond", 100],
    );

    log.warn({ error: away() }, "the queue does not respond");
    assert.equal(lines().length, 5);
    mock.timers.tick(foldMs);
    assert.equal(lines().length, 5);
  });

  it("are those with an error: acts of administrators, other levels and plain texts are all written", () => {
    const { log, lines } = openTestLog();
    for (let n = 0; n < 3; n++) {
      log.error({ n }, "failed");
      log.info({ n }, "request");
      log.warn({ n }, "an administrator acts");
    }
    log.warn("only a text");
    log.warn("only a text");

    assert.equal(lines().length, 11);
    assert.equal(lines()[10]!["msg"], "only a text");
  });
});

describe("an error in the log", () => {
  it("has its text and causes, and no other property", () => {
    const { log, written, lines } = openTestLog();
    const cause = Object.assign(new Error('E11000 index: email dup key: { emailKey: "ann@example.com" }'), {
      keyValue: { emailKey: "ann@example.com" },
    });
    const error = Object.assign(new Error("not saved", { cause }), {
      request: { deep: { headers: { authorization: "Bearer abc" } } },
    });
    log.error({ error }, "failed");

    const [line] = lines();
    assert.equal(line!.error!.message, "not saved");
    assert.match(line!.error!.stack, /log\.test/);
    assert.equal(line!.error!.cause!.message, "E11000 index: email dup key");
    assert.doesNotMatch(written.join(""), /ann@example|Bearer/);
  });
});

describe("a line for a terminal", () => {
  it("has time, level, message, fields and the trace of its error", () => {
    const entry = {
      level: "warn",
      time: "2026-03-01T12:00:00.123Z",
      route: "/a/:b",
      text: "two words",
      n: 3,
      msg: "slow",
    };
    const line = readableLine(JSON.stringify({ ...entry, error: { stack: "Error: no\n    at here" } }));

    assert.equal(
      line,
      '12:00:00.123 \u001b[33mWARN \u001b[0m slow route=/a/:b text="two words" n=3\nError: no\n    at here\n',
    );
  });

  it("moves no cursor", () => {
    const line = readableLine(
      JSON.stringify({
        level: "info",
        time: "2026-03-01T12:00:00.123Z",
        msg: "a\u001b[2Jb\u202e",
        path: "\u001b]0;x",
      }),
    );

    assert.equal(line, "12:00:00.123 INFO  a[2Jb path=]0;x\n");
  });
});
