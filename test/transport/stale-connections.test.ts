/** Requests on an idle connection that the host closes at that moment. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { openGuardedFetch } from "../../repos/transport/guarded-fetch.ts";

/** A host whose connections answer one request each, and are reset by the second. */
async function startHost(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const host = createServer((socket) => {
    let answered = 0;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      requests.push(bytes.toString().split(" ", 1)[0]!);
      if (answered++ > 0) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok");
    });
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  after(() => void host.close());
  return { url: `http://127.0.0.1:${(host.address() as AddressInfo).port}/`, requests };
}

const client = openGuardedFetch({
  allowPrivateNetwork: true,
  firstByteMs: 60_000,
  silenceMs: 60_000,
  maxBytes: 1000,
});
after(() => client.close());

const lost = { code: "remote_unreachable", message: /ECONNRESET/ };

describe("a request on an idle connection that the host has just closed", () => {
  it("is sent again if it is idempotent", async () => {
    const { url, requests } = await startHost();
    for (const init of [
      {},
      { method: "PUT", body: "x" },
      { method: "POST", body: "x", isIdempotent: true },
    ]) {
      const answers = await Promise.all([1, 2, 3].map(() => client.fetch(url, init)));
      assert.deepEqual(await Promise.all(answers.map((answer) => answer.text())), ["ok", "ok", "ok"]);
    }
    assert.ok(requests.length > 9, `${requests.length} requests, so none was sent again`);
  });

  it("fails if it is not, and is sent once", async () => {
    const { url, requests } = await startHost();
    await (await client.fetch(url)).text();
    await assert.rejects(client.fetch(url, { method: "POST", body: "x" }), lost);
    assert.deepEqual(requests, ["GET", "POST"]);
  });

  it("is not sent again once its response has begun", async () => {
    let requests = 0;
    const host = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => {
        const isFirst = requests++ === 0;
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n");
        if (isFirst) socket.write("ok");
        else setTimeout(() => socket.resetAndDestroy(), 50);
      });
    }).listen(0, "127.0.0.1");
    await once(host, "listening");
    after(() => void host.close());
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
    await (await client.fetch(url)).text();
    await assert.rejects(client.fetch(url), { code: "remote_unreachable" });
    assert.equal(requests, 2);
  });

  it("fails on a new connection, and is sent once", async () => {
    let connections = 0;
    const host = createServer((socket) => {
      connections++;
      socket.on("error", () => undefined).once("data", () => socket.resetAndDestroy());
    }).listen(0, "127.0.0.1");
    await once(host, "listening");
    after(() => void host.close());
    await assert.rejects(client.fetch(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`), lost);
    assert.equal(connections, 1);
  });
});
