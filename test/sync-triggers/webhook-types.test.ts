/** Deliveries in the content types that a webhook can be set to, and in others. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { ConnectionPayload, RepositorySyncPayload } from "../../contract/payloads/sync.ts";
import { newCustomer, setUpGitHub } from "../support/sync/set-up-github.ts";

const { service, stub } = await setUpGitHub({});

describe("a signed delivery", () => {
  it("is read as JSON or as a form, and is 415 and shown on the connection otherwise", async () => {
    const { owner, base } = await newCustomer(service);
    const repository = await stub.newRepository("acme/types");
    repository.repo.commit({ "a.txt": "1\n" });
    const { data } = await service.call<ConnectionPayload>("POST", base, {
      token: owner.token,
      body: { host: "github-token", repository: repository.fullName, token: stub.newToken([repository]) },
    });
    await service.settled();
    const [hook] = repository.hooks;
    const send = async (type: string, body: string) => {
      const signature = createHmac("sha256", hook!.secret).update(body).digest("hex");
      const answer = await service.raw("POST", `/api/webhooks/github?connection=${data.id}`, {
        bytes: Buffer.from(body),
        headers: {
          "content-type": type,
          "x-github-event": "push",
          "x-github-delivery": randomBytes(8).toString("hex"),
          "x-hub-signature-256": `sha256=${signature}`,
        },
      });
      await answer.text();
      return answer.status;
    };
    const wanted = async () => (await service.app.storage.connections.find(data.id))!.wanted;
    const unreadableAt = async () =>
      (await service.call<RepositorySyncPayload>("GET", base, { token: owner.token })).data.connection!
        .unreadableDeliveryAt;
    const push = JSON.stringify({
      ref: "refs/heads/main",
      after: "1".repeat(40),
      repository: { id: repository.id },
      note: "é & =",
    });
    const form = "application/x-www-form-urlencoded";
    const first = await wanted();

    assert.equal(await send(form, new URLSearchParams({ payload: push }).toString()), 200);
    assert.equal(await wanted(), first + 1);
    assert.equal(await unreadableAt(), null);
    for (const [type, body] of [
      ["text/plain", "hello"],
      ["application/json", "{"],
      ["application/json", new URLSearchParams({ payload: push }).toString()],
      [form, push],
      [form, "payload=hello"],
    ] as const)
      assert.equal(await send(type, body), 415, `${type} ${body}`);
    assert.equal(await wanted(), first + 1);
    assert.ok(Date.parse((await unreadableAt())!) > 0);
    assert.equal(await send("application/json", push), 200);
    assert.equal(await unreadableAt(), null);
    assert.equal(await wanted(), first + 2);
  });
});
