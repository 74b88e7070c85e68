/** kill -9 of the service while webhooks are delivered: no event of an acknowledged change is lost. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sharedEngines } from "../support/engine.ts";
import { callApi, newAccount, newOrganization } from "../support/http-client.ts";
import { runCount } from "../support/run-count.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../support/server.ts";
import { until } from "../support/until.ts";
import { startReceiver, verifyMessage } from "../support/webhook-receiver.ts";

const kills = runCount(1, 20);
const changesPerKill = 30;

describe("a service that is killed while it delivers", async () => {
  const receiver = await startReceiver();
  const dataDir = temporaryFolder("webhook-kill");
  const env = {
    ...(await sharedEngines()),
    WEBHOOK_PRIVATE_NETWORK: "true",
    RATE_LIMITS: "false",
    LOG_LEVEL: "error",
  };
  let server: Server = await startServer({ dataDir, env });
  after(async () => {
    await server.stop();
    removeFolder(dataDir);
  });

  it("sends every event, repeated ones with the same id and body", async (t) => {
    const ada = await newAccount(server.url, "ada", server.setupLink);
    await newOrganization(server.url, ada, "acme");
    const created = await callApi<{ secret: string }>(server.url, "POST", "/api/tenants/acme/webhooks", {
      cookie: ada.cookie,
      body: { name: "all", url: receiver.url, events: ["folder.created"] },
    });
    assert.equal(created.status, 201, created.error);
    receiver.answer = async () => {
      await sleep(100);
      return { status: 200 };
    };
    const acknowledged: string[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const before = receiver.received.length;
      for (let at = 0; at < changesPerKill; at++) {
        const path = `folder-${kill}-${at}`;
        const made = await callApi(server.url, "POST", "/api/tenants/acme/folders", {
          cookie: ada.cookie,
          body: { path },
        });
        if (made.status === 201) acknowledged.push(path);
      }
      await until("the first messages", () => receiver.received.length > before);
      await server.kill("SIGKILL");
      server = await startServer({ dataDir, env });
    }
    const namesOf = () =>
      new Set(
        receiver.received.map(
          ({ body }) => (JSON.parse(body) as { data: { resource: { name: string } } }).data.resource.name,
        ),
      );
    await until("all events", () => namesOf().size >= acknowledged.length, {
      details: async () => acknowledged.filter((path) => !namesOf().has(path)),
    });
    assert.equal(acknowledged.length, kills * changesPerKill);
    for (const message of receiver.received) verifyMessage(message, created.data.secret);
    const bodies = new Map<string, string>();
    for (const { headers, body } of receiver.received) {
      const id = headers["webhook-id"]!;
      assert.equal(bodies.get(id) ?? body, body);
      bodies.set(id, body);
    }
    assert.equal(bodies.size, acknowledged.length);
    t.diagnostic(`${acknowledged.length} events, ${receiver.received.length - bodies.size} repeated`);
  });
});
