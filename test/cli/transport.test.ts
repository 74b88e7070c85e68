/** One exchange with servers that do not end it as they should. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { exchange } from "../../cli/api/transport.ts";
import { startServer } from "./harness.ts";

const ask = (url: string) => exchange(new URL(url), { method: "GET", headers: {}, timeoutMs: 300, env: {} });

describe("a body", () => {
  for (const [kind, start] of [
    ["as it is", (response: ServerResponse) => void response.write('{"success":')],
    [
      "compressed",
      (response: ServerResponse) => {
        response.setHeader("content-encoding", "gzip");
        response.write(gzipSync("x".repeat(100)).subarray(0, 12));
      },
    ],
  ] as const)
    it(`in which the server falls silent is given up, ${kind}`, { timeout: 10_000 }, async (t) => {
      const url = await startServer(t, (_request, response) => start(response));

      const answered = await ask(url);

      await assert.rejects(answered.text(), /the server stopped sending/);
    });

  it("may come as slowly as it likes, as long as it comes", async (t) => {
    const url = await startServer(t, async (_request, response) => {
      for (let i = 0; i < 8; i++) {
        if (!response.write("x")) await once(response, "drain");
        await sleep(100);
      }
      response.end();
    });

    assert.equal(await (await ask(url)).text(), "xxxxxxxx");
  });
});
