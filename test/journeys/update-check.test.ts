/** The daily check of the client for a newer version. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { type TestContext, describe, it } from "node:test";
import { needsTerminal } from "../support/terminal.ts";
import { identity, reply, screen, setUp } from "./terminal-client.ts";

describe("the daily update check", needsTerminal, () => {
  const check = { SVC_NO_UPDATE_CHECK: "" };

  /**
   * A service that counts its requests, and returns the given response. After `expect`, the command's own response
   * waits for the request: on a busy machine, a command that has ended may have given it up. `repliedAt`: when that
   * response was sent the last time.
   */
  async function asked(t: TestContext, respond: (response: ServerResponse) => void) {
    let count = 0;
    let asks = Promise.resolve();
    let arrived = () => {};
    let repliedAt = 0;
    const made = await setUp(t, (_request, response, url) => {
      if (url.pathname === "/api/client") {
        count++;
        respond(response);
        arrived();
      } else
        void asks.then(() => {
          repliedAt = performance.now();
          return reply(response, identity);
        });
    });
    const expect = () => {
      asks = new Promise((resolve) => (arrived = resolve));
    };
    return { ...made, count: () => count, expect, repliedAt: () => repliedAt };
  }

  it("prints a newer version in one line after the result, once a day", async (t) => {
    const { open, home, count, expect } = await asked(t, (response) =>
      reply(response, { version: "99.1.0" }),
    );

    expect();
    const first = open(["whoami"], check);
    assert.equal(await first.ended, 0);
    const second = open(["whoami"], check);
    assert.equal(await second.ended, 0);

    const lines = screen(first.text()).filter((line) => line !== "");
    assert.deepEqual(lines.slice(0, 2), ["Ann (ann)", "a@example.com"]);
    assert.match(
      lines.slice(2).join(" "),
      /^update svc 99\.1\.0 is available from your service; this is \d+\.\d+\.\d+\. Install it with svc upgrade\./,
    );
    assert.doesNotMatch(second.text(), /99/);
    assert.equal(count(), 1);
    const file = path.join(home, ".svc", "update-check.json");
    writeFileSync(file, JSON.stringify({ checkedAt: new Date(Date.now() - 25 * 3_600_000).toISOString() }));
    expect();
    const nextDay = open(["whoami"], check);
    assert.equal(await nextDay.ended, 0);
    assert.match(nextDay.text(), /99\.1\.0/);
    assert.equal(count(), 2);
  });

  it("sends no request for programs, under CI, or if it is disabled", async (t) => {
    const { open, count, home } = await asked(t, (response) => reply(response, { version: "99.1.0" }));

    await Promise.all(
      [
        open(["whoami", "-o", "json"], check),
        open(["whoami"], { ...check, CI: "1" }),
        open(["whoami"], { SVC_NO_UPDATE_CHECK: "1" }),
      ].map((terminal) => terminal.ended),
    );

    assert.equal(count(), 0);
    assert.ok(!existsSync(path.join(home, ".svc", "update-check.json")));
  });

  for (const [what, respond] of [
    ["hangs", () => {}],
    ["fails", (response: ServerResponse) => void response.destroy()],
    ["is not from the service", (response: ServerResponse) => void response.end("<html>")],
    ["is older", (response: ServerResponse) => reply(response, { version: "0.1.0" })],
    ["is hostile", (response: ServerResponse) => reply(response, { version: "99.0.0\u001B[2J" })],
  ] as const)
    it(`prints nothing, causes no delay and counts as done if the response ${what}`, async (t) => {
      const { open, count, expect, repliedAt } = await asked(t, respond);

      const timed = async (env: Record<string, string>) => {
        const terminal = open(["whoami"], env);
        assert.equal(await terminal.ended, 0);
        return { terminal, tookMs: performance.now() - repliedAt() };
      };
      const without = await timed({});
      expect();
      const { terminal, tookMs } = await timed(check);
      assert.equal(await open(["whoami"], check).ended, 0);

      assert.deepEqual(screen(terminal.text()), ["Ann (ann)", "a@example.com", ""]);
      assert.equal(count(), 1);
      assert.ok(tookMs < without.tookMs + 1000, `${tookMs} ms, and ${without.tookMs} ms without it`);
    });
});
