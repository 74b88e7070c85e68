import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { setUpAccount, type AccountsService } from "../support/accounts-app.ts";
import { callback, decide, newPkce, openConsent, requestOf, returnOf } from "./fixture.ts";

describe("a client with a metadata document", async () => {
  let service: AccountsService;
  let cookie: string;
  setUpAccount((made) => {
    ({ service, cookie } = made);
    service.app.config.oauth.privateNetwork = true;
  });
  let answer: RequestListener;
  let requests = 0;
  const host = createServer((request, response) => {
    requests++;
    answer(request, response);
  });

  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;

  after(() => host.close());

  let counter = 0;
  /** An address that was not read before, whose document has these fields. */
  function serve(fields: Record<string, unknown> = {}): string {
    const clientId = `${base}/client-${counter++}.json`;
    const document = { client_id: clientId, client_name: "Docs agent", redirect_uris: [callback], ...fields };
    answer = (_, response) => response.end(JSON.stringify(document));
    return clientId;
  }
  const open = (clientId: string, more: Record<string, string> = {}) =>
    openConsent(service, cookie, { ...requestOf(service, clientId, newPkce()), ...more });

  it("is named by its host, which is verified, and needs no registration", async () => {
    const clientId = serve({ redirect_uris: ["https://app.example/cb", "javascript:alert(1)", callback] });

    const { answer: page, id } = await open(clientId);

    assert.equal(page.status, 200, page.text);
    assert.match(page.text, new RegExp(`<bdi>${new URL(base).host}</bdi>`));
    assert.match(page.text, /calls itself “<bdi>Docs agent<\/bdi>”/);
    assert.match(page.text, /any program there can claim a name/);
    assert.ok(returnOf(await decide(service, cookie, id)).searchParams.get("code"));
    assert.equal((await open(clientId, { redirect_uri: "javascript:alert(1)" })).answer.status, 400);
    const [grant] = (await service.call("GET", "/api/user/grants", { cookie })).body[
      "data"
    ] as object as object[];
    assert.equal(grant, undefined, "a code that was not exchanged is not listed");
  });

  it("is read again after five minutes, and at the decision", async () => {
    const clientId = serve();
    requests = 0;
    const opened = await Promise.all([open(clientId), open(clientId), open(clientId)]);
    assert.deepEqual(
      opened.map((one) => one.answer.status),
      [200, 200, 200],
    );
    assert.equal(requests, 1);

    answer = (_, response) =>
      response.end(JSON.stringify({ client_id: clientId, redirect_uris: ["https://other.example/cb"] }));
    service.advance(5 * 60_000 + 1);

    assert.equal((await decide(service, cookie, opened[0].id)).status, 400);
    assert.equal(requests, 2);
    assert.equal((await open(clientId)).answer.status, 400);
  });

  it("is refused for a document that is not its own, not valid, or for clients with secrets", async () => {
    const faulty: Record<string, unknown>[] = [
      { client_id: `${base}/other.json` },
      { client_id: `${base.replace("http", "HTTP")}/x` },
      { client_id: undefined },
      { redirect_uris: undefined },
      { redirect_uris: [] },
      { redirect_uris: "x" },
      { redirect_uris: [5] },
      { token_endpoint_auth_method: "client_secret_basic" },
      { token_endpoint_auth_method: "private_key_jwt" },
      { client_secret: "x" },
    ];
    for (const fields of faulty) {
      const { answer: page } = await open(serve(fields));
      assert.equal(page.status, 400, JSON.stringify(fields));
      assert.match(page.text, /The client&#39;s document/);
    }
  });

  it("is refused for a response that is large, slow, redirects or is not JSON", async () => {
    const responses: [RequestListener, RegExp][] = [
      [(_, response) => response.end(`{"x":"${"x".repeat(5_000_000)}"}`), /sends more than the 16384 bytes/],
      [(_, response) => response.writeHead(302, { location: "/client-0.json" }).end(), /redirects/],
      [(_, response) => response.writeHead(301, { location: "http://169.254.169.254/" }).end(), /redirects/],
      [(_, response) => response.end("<html>"), /JSON/],
      [(_, response) => response.end("null"), /not valid/],
      [(_, response) => response.writeHead(404).end("{}"), /can&#39;t be read/],
      [(_, response) => response.writeHead(500).end("{}"), /can&#39;t be read/],
      [(request) => request.socket.destroy(), /can&#39;t be read/],
    ];
    for (const [respond, message] of responses) {
      const clientId = serve();
      answer = respond;
      const { answer: page } = await open(clientId);
      assert.equal(page.status, 400);
      assert.match(page.text, message);
      requests = 0;
      await open(clientId);
      assert.equal(requests, 0, "a failure is kept for a moment");
    }
  });

  it("is not requested at private addresses, by http, or at an address in another form", async () => {
    const { port } = host.address() as AddressInfo;
    service.app.config.oauth.privateNetwork = false;
    serve();
    requests = 0;
    const addresses = [
      `http://127.0.0.1:${port}/c.json`,
      `https://127.0.0.1:${port}/c.json`,
      `https://localhost:${port}/c.json`,
      "https://169.254.169.254/latest/meta-data",
      "https://[::1]/c.json",
      "https://[::ffff:127.0.0.1]/c.json",
      "https://10.0.0.1/c.json",
      "https://0x7f000001/c.json",
      "https://user@app.example/c.json",
      "https://app.example/c.json?x=1",
      "https://app.example/c.json#x",
      "https://app.example/",
      "https://app.example",
      "https://app.example/a/../c.json",
      "https://APP.example/c.json",
      "HTTPS://app.example/c.json",
      "https://app.example:443/c.json",
      `https://app.example/${"x".repeat(980)}`,
    ];
    for (const address of addresses) {
      const { answer: page } = await open(address);
      assert.equal(page.status, 400, address);
    }
    assert.equal(requests, 0);
  });

  it("is not requested by plain http at public hosts, also where private addresses are allowed", async () => {
    for (const privateNetwork of [false, true]) {
      service.app.config.oauth.privateNetwork = privateNetwork;
      for (const address of [
        "http://app.example/c.json",
        "http://app.example:8080/c.json",
        "http://192.0.2.1/c.json",
        "http://localhost.app.example/c.json",
        "http://127.0.0.1.app.example/c.json",
      ]) {
        const { answer: page } = await open(address);
        assert.equal(page.status, 400, address);
        assert.match(page.text, /The client id does not begin with https:/, address);
      }
    }
  });
});
