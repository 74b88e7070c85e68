/** A stream whose reader has left, behind the proxies that the files of `deploy/` set up. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, describe, it } from "node:test";
import { reserveProxy } from "../support/proxies/deployed.ts";
import { whyMissing } from "../support/proxies/program.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

describe("a proxy", () => {
  const folder = temporaryFolder("disconnect");
  after(() => removeFolder(folder));

  for (const kind of ["nginx", "Caddy"] as const)
    it(
      `ends the stream as its reader leaves: ${kind}`,
      { skip: whyMissing(kind.toLowerCase()) },
      async () => {
        const streams: ServerResponse[] = [];
        const server = createServer((asked, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          if (asked.url === "/events") {
            streams.push(response);
            // Nothing follows by which the proxy could notice.
            response.write("event: first\n\n");
          } else response.end();
        });
        await once(server.listen(0, "127.0.0.1"), "listening");
        const { port } = server.address() as AddressInfo;
        const reserved = await reserveProxy(kind);
        const proxy = await reserved.start({ folder: path.join(folder, kind), targets: [port] });
        const ca = readFileSync(proxy.certificate);
        const ask = (target: string) =>
          new Promise<number>((resolve) => {
            const sent = request(reserved.url + target, { ca, agent: false }, (response) => {
              response.once("data", () => sent.destroy());
              response.once("close", () => resolve(response.statusCode!));
            });
            sent.on("error", () => resolve(0));
            sent.end();
          });
        try {
          await until("the proxy to see the service", async () => (await ask("/events")) === 200);
          const started = performance.now();
          await until("the end of the stream", () => streams.every(({ destroyed }) => destroyed));
          assert.ok(performance.now() - started < 5000);
        } finally {
          await proxy.close();
          server.closeAllConnections();
          server.close();
        }
      },
    );
});
