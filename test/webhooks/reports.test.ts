/** Messages about what is in no audit log: syncs, conflicts and findings. */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { describe, it } from "node:test";
import type { CreatedWebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import { deliverWebhook } from "../../src/orgs/webhooks/deliver.ts";
import { setUpService } from "../support/set-up.ts";
import { publish, versionsOf, withSyncFixture, type SyncFixture } from "../support/sync/fixture.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

const { service, clock } = await setUpService({ webhookPrivateNetwork: true });
const receiver = await startReceiver();
const { app } = service;

interface Body {
  type: string;
  data: { resource: { id: string; name?: string }; facts: Record<string, unknown>; version?: string };
}

/** Runs a test with a connected organization and a function that delivers, and returns what the receiver got. */
const withWebhook = (
  events: string[],
  test: (fixture: SyncFixture, deliver: () => Promise<Body[]>) => Promise<void>,
) =>
  withSyncFixture(service, async (fixture) => {
    const { owner, org } = fixture;
    const created = await service.call<CreatedWebhookPayload>("POST", `/api/tenants/${org.slug}/webhooks`, {
      cookie: owner.cookie,
      body: { name: "reports", url: receiver.url, events },
    });
    assert.equal(created.status, 201, created.error);
    await test(fixture, async () => {
      receiver.received.length = 0;
      await service.settled();
      await deliverWebhook(app, created.data.id);
      return receiver.received.map(({ body }) => JSON.parse(body) as Body);
    });
  });

describe("a webhook", () => {
  it("gets a sync that has changed something, the beginning of a problem, and its end", () =>
    withWebhook(["sync.succeeded", "sync.failed"], async (fixture, deliver) => {
      await publish(fixture, "Synced", "one");
      assert.equal(await fixture.sync(), "done");
      const [done, ...more] = await deliver();
      assert.deepEqual([done?.type, done?.data.facts["exported"], more], ["sync.succeeded", 1, []]);
      assert.equal(done?.data.resource.id, fixture.connectionId);
      await fixture.sync();
      assert.deepEqual(await deliver(), [], "a sync that changes nothing is no news");

      renameSync(fixture.remote, `${fixture.remote}.away`);
      for (let attempt = 0; attempt < 2; attempt++) {
        await publish(fixture, "Synced", `kept ${attempt}`);
        await fixture.sync();
        clock.advance(3_600_000);
      }
      const failed = await deliver();
      assert.deepEqual(
        failed.map(({ type }) => type),
        ["sync.failed"],
      );
      assert.equal(typeof failed[0]?.data.facts["problem"], "string");
      renameSync(`${fixture.remote}.away`, fixture.remote);
      await fixture.sync();
      assert.deepEqual(
        (await deliver()).map(({ type }) => type),
        ["sync.succeeded"],
      );
    }));

  it("gets a conflict with the numbers of both versions", () =>
    withWebhook(["sync.conflict"], async (fixture, deliver) => {
      const skill = await publish(fixture, "Both", "one");
      await fixture.sync();
      fixture.copy.update();
      const file = "skills/both/SKILL.md";
      fixture.copy.write(file, fixture.copy.read(file).replace("\n\none", "\n\ntheirs"));
      fixture.copy.push();
      await publish(fixture, "Both", "ours");
      await fixture.sync();
      const [conflict, ...more] = await deliver();
      assert.deepEqual(
        [conflict?.type, conflict?.data.resource, conflict?.data.facts, more],
        [
          "sync.conflict",
          { type: "skill", id: skill.id, name: `${fixture.org.slug}/${skill.slug}` },
          { winning: 3, losing: 2 },
          [],
        ],
      );
      assert.equal((await versionsOf(fixture, skill.id)).length, 3);
    }));

  it("gets the number of findings that a version is the first to have", () =>
    withWebhook(["skill.findings_reported"], async (fixture, deliver) => {
      // A token of the form that GitHub gives, made at run time so that no scanner takes this file for a leak.
      const token = ["ghp", "aB3dE6gH9jK".repeat(4).slice(0, 36)].join("_");
      const skill = await publish(fixture, "Leaky", "nothing");
      assert.deepEqual(await deliver(), []);
      await publish(fixture, "Leaky", `use ${token}`);
      const [found, ...more] = await deliver();
      assert.deepEqual(
        [found?.type, found?.data.resource.id, found?.data.version, found?.data.facts, more],
        ["skill.findings_reported", skill.id, "1.0.1", { findings: 1 }, []],
      );
      assert.ok(!receiver.received.some(({ body }) => body.includes(token)));
      await publish(fixture, "Leaky", `still ${token}`);
      assert.deepEqual(await deliver(), [], "the finding is known");
    }));
});
