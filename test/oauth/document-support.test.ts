import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { problemOf, remembered } from "../../src/oauth/document-support.ts";
import { setUpAccount, type AccountsService } from "../support/accounts-app.ts";
import { newPkce, openConsent, requestOf } from "./fixture.ts";

describe("metadata documents of clients", () => {
  let service: AccountsService;
  let cookie: string;
  setUpAccount((made) => ({ service, cookie } = made));

  const isOffered = async () =>
    (await service.call("GET", "/.well-known/oauth-authorization-server")).body[
      "client_id_metadata_document_supported"
    ];

  it("are offered and read as the configuration says", async () => {
    service.app.config.oauth.clientDocuments = true;
    assert.equal(await isOffered(), true);

    service.app.config.oauth.clientDocuments = false;
    assert.equal(await isOffered(), false);
    const request = requestOf(service, "https://app.example/client.json", newPkce());
    const { answer } = await openConsent(service, cookie, request);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /does not accept client metadata documents[^]*register the client instead/);
    service.app.config.oauth.clientDocuments = true;
  });

  it("need outbound requests, which any response proves", async () => {
    const server = createServer((_, response) => void response.writeHead(404).end("nothing"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const open = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const closed = "http://127.0.0.1:1/";

    assert.equal(await problemOf([closed, open], true), undefined);
    await new Promise((resolve) => server.close(resolve));

    assert.match((await problemOf([closed], true))!, /127\.0\.0\.1:1 can't be reached: ECONNREFUSED/);
    assert.match((await problemOf(["https://127.0.0.1/"], false))!, /this machine or a private network/);
  });

  it("are tried once by concurrent readers of the metadata, and again after some minutes", async () => {
    let asked = 0;
    let now = 0;
    const ask = async () => {
      asked++;
      await setImmediate();
      return asked === 1 ? undefined : "no route";
    };
    const read = remembered(ask, () => now);
    const readOften = () => Promise.all(Array.from({ length: 20 }, read));

    for (const [at, problem, count] of [
      [0, undefined, 1],
      [9 * 60_000, undefined, 1],
      [10 * 60_000, "no route", 2],
      [10 * 60_000 + 59_999, "no route", 2],
      [11 * 60_000, "no route", 3],
    ] as const) {
      now = at;
      assert.deepEqual(new Set(await readOften()), new Set([problem]), `${at}`);
      assert.equal(asked, count, `${at}`);
    }
  });
});
