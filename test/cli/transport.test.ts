/** A request to servers that do not complete the response. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { exchange } from "../../cli/api/transport.ts";
import { startServer } from "./harness.ts";

const silenceMs = 2000;
const ask = (url: string) =>
  exchange(new URL(url), { method: "GET", headers: {}, timeoutMs: silenceMs, env: {} });

describe("a body", () => {
  for (const [kind, start] of [
    ["uncompressed", (response: ServerResponse) => void response.write('{"success":')],
    [
      "compressed",
      (response: ServerResponse) => {
        response.setHeader("content-encoding", "gzip");
        response.write(gzipSync("x".repeat(100)).subarray(0, 12));
      },
    ],
  ] as const)
    it(`is given up if the server stops sending, ${kind}`, { timeout: 120_000 }, async (t) => {
      const url = await startServer(t, (_request, response) => start(response));

      const answered = await ask(url);

      await assert.rejects(answered.text(), /the server stopped sending/);
    });

  it("may arrive at any speed, as long as it keeps arriving", async (t) => {
    const url = await startServer(t, async (_request, response) => {
      for (let i = 0; i < 21; i++) {
        if (!response.write("x")) await once(response, "drain");
        await sleep(silenceMs / 20);
      }
      response.end();
    });

    assert.equal(await (await ask(url)).text(), "x".repeat(21));
  });
});
