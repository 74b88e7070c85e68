/** Messages of webhooks: what they contain, their signatures, and their history. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type {
  CreatedWebhookPayload,
  WebhookDeliveryPayload,
} from "../../contract/payloads/organizations/webhooks.ts";
import { queueDeliveries } from "../../src/webhooks/deliver-soon.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { verifyMessage } from "../support/webhook-receiver.ts";
import { setUpWebhooks } from "../support/webhooks.ts";

const { service, app, clock, owner, org, receiver, call, create, read, remove, deliver, deliveries, detail } =
  await setUpWebhooks();

describe("a webhook", () => {
  it("gets the chosen events from then on, signed, once and with a thin body", async () => {
    await newFolder(service, org, owner, "before");
    const { webhook, secret } = await create({ events: ["folder.created", "skill.created"] });
    const folder = await newFolder(service, org, owner, "reports");
    const skill = await publishSkill(service, org, owner, { name: "invoices" });
    await service.call("PUT", `/api/skills/${skill.id}`, { cookie: owner.cookie, body: { tags: ["x"] } });
    await deliver(webhook);
    await deliver(webhook);
    const bodies = receiver.received.map(
      ({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> },
    );
    assert.deepEqual(bodies.map(({ type }) => type).sort(), ["folder.created", "skill.created"]);
    for (const message of receiver.received) verifyMessage(message, secret!);
    const [first] = receiver.received;
    assert.throws(() => verifyMessage({ ...first!, body: `${first!.body} ` }, secret!));
    const created = bodies.find(({ type }) => type === "skill.created")!;
    assert.deepEqual(created.data, {
      organization: { id: org.id, slug: org.slug },
      resource: { type: "skill", id: skill.id, name: `${org.slug}/${skill.slug}` },
      version: "1.0.0",
      actor: { type: "user", id: owner.id, name: owner.username },
      url: `${app.config.baseUrl}/${org.slug}/${skill.slug}`,
    });
    const made = bodies.find(({ type }) => type === "folder.created")!;
    assert.deepEqual(made.data["resource"], { type: "folder", id: folder.id, name: "reports" });
    const stored = await deliveries(webhook);
    assert.deepEqual(
      stored.map(({ state, attemptCount, lastAttempt }) => [state, attemptCount, lastAttempt?.status]),
      [
        ["delivered", 1, 204],
        ["delivered", 1, 204],
      ],
    );
    assert.ok(stored.every(({ createdAt }, at) => at === 0 || createdAt <= stored[at - 1]!.createdAt));
    const { messageId, body } = await detail(webhook, stored[0]!);
    assert.ok(receiver.received.some((one) => one.body === body && one.headers["webhook-id"] === messageId));
  });

  it("is not told the names of skills and folders in a restriction", async () => {
    const { webhook } = await create();
    const folder = await newFolder(service, org, owner, "board");
    await service.settled();
    await restrict(service, owner, folder.id, []);
    receiver.received.length = 0;
    const skill = await publishSkill(service, org, owner, { name: "layoffs", folder: "board" });
    await newFolder(service, org, owner, "board/inner-circle");
    await deliver(webhook);
    const texts = receiver.received.map(({ body }) => body).filter((body) => !body.includes('"board"'));
    assert.ok(texts.some((text) => text.includes(skill.id)));
    assert.ok(!texts.join("").includes("layoffs") && !texts.join("").includes("inner-circle"));
  });

  it("is told the version that a revert or a channel leads to, and no slug of a rename in its place", async () => {
    const events = ["skill.renamed", "skill.version_reverted", "skill.channel_updated"];
    const { webhook } = await create({ events });
    const { id } = await publishSkill(service, org, owner, { name: "drafts" });
    const change = async (method: string, at: string, body: object) => {
      const answer = await service.call(method, `/api/skills/${id}${at}`, { cookie: owner.cookie, body });
      assert.ok(answer.status < 300, answer.error);
    };
    await change("POST", "/versions", { content: "# Second\n" });
    await change("POST", "/revert", { version: "1.0.0" });
    await change("PUT", "/channels/stable", { version: "1.0.1" });
    await service.settled();
    await newFolder(service, org, owner, "merger");
    const { id: folderId } = await newFolder(service, org, owner, "merger/plans");
    await restrict(service, owner, folderId, []);
    await change("POST", "/move", { folder: "merger/plans" });
    await change("POST", "/rename", { slug: "takeover" });
    await deliver(webhook);
    const versions = receiver.received.map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { version?: string } };
      return `${type} ${data.version}`;
    });
    assert.deepEqual(versions.toSorted(), [
      "skill.channel_updated 1.0.1",
      "skill.renamed undefined",
      "skill.version_reverted 1.0.0",
    ]);
    assert.ok(!receiver.received.some(({ body }) => body.includes("takeover")));
  });

  it("is not told roles and names of people and teams in the place of versions", async () => {
    const { webhook } = await create({ events: ["organization.member_role_updated", "team.created"] });
    const member = await newMember(service, org, "member");
    const at = `/api/tenants/${org.slug}`;
    const { cookie } = owner;
    await service.call("PATCH", `${at}/members/${member.id}`, { cookie, body: { role: "viewer" } });
    await service.call("POST", `${at}/teams`, { cookie, body: { name: "Red team" } });
    await deliver(webhook);
    const bodies = receiver.received.map(({ body }) => body);
    assert.equal(bodies.length, 2);
    assert.ok(bodies.some((body) => body.includes(member.id)));
    for (const body of bodies) assert.doesNotMatch(body, /viewer|Red team|version/);
  });

  it("is signed by the previous secret too for a day after a rotation", async () => {
    const { webhook, secret } = await create({ events: ["folder.created"] });
    const rotated = await call<CreatedWebhookPayload>("POST", `/${webhook.id}/secret`);
    assert.equal(rotated.status, 200, rotated.error);
    assert.ok(rotated.data.previousSecretUntil !== null);
    assert.notEqual(rotated.data.secret, secret);
    await newFolder(service, org, owner, "both");
    await deliver(webhook);
    verifyMessage(receiver.received[0]!, secret!);
    verifyMessage(receiver.received[0]!, rotated.data.secret!);
    clock.advance(limits.webhookSecretOverlapMs + 1000);
    await newFolder(service, org, owner, "one");
    await deliver(webhook);
    assert.throws(() => verifyMessage(receiver.received[1]!, secret!));
    verifyMessage(receiver.received[1]!, rotated.data.secret!);
    const stored = JSON.stringify(await app.storage.webhooks.find(org.id, webhook.id));
    for (const one of [secret!, rotated.data.secret!, receiver.url]) assert.ok(!stored.includes(one));
    assert.equal((await read(webhook)).previousSecretUntil, null);
  });

  it("follows no redirect, keeps the beginning of a response, and does not wait for its end", async () => {
    receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "redirected");
    await deliver(webhook);
    assert.equal(receiver.received.length, 1);
    assert.equal((await read(webhook)).error, "The receiver responded with status 302.");
    receiver.answer = () => ({ status: 200, body: "y".repeat(1_000_000) });
    clock.advance(10_000);
    await deliver(webhook);
    const [delivered] = await deliveries(webhook);
    assert.equal(delivered?.state, "delivered");
    assert.equal((await detail(webhook, delivered)).response, "y".repeat(4096));
  });

  it("gets a test message and a message again, also while it is disabled, with the same id", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "again");
    await deliver(webhook);
    const [first] = await deliveries(webhook);
    await call("PATCH", `/${webhook.id}`, { enabled: false });
    const resent = await call<WebhookDeliveryPayload>(
      "POST",
      `/${webhook.id}/deliveries/${first!.id}/resend`,
    );
    assert.deepEqual([resent.status, resent.data.state], [200, "pending"]);
    const tested = await call<WebhookDeliveryPayload>("POST", `/${webhook.id}/test`);
    assert.equal(tested.data.type, "webhook.test");
    await deliver(webhook);
    const [one, ...later] = receiver.received.map(({ headers }) => headers["webhook-id"]);
    assert.equal(later.length, 2);
    assert.ok(later.includes(one));
    assert.equal((await detail(webhook, tested.data)).state, "delivered");
    receiver.answer = () => ({ status: 400 });
    await call("POST", `/${webhook.id}/test`);
    await deliver(webhook);
    assert.equal((await deliveries(webhook, "?state=failed")).length, 1, "a test is not repeated");
  });

  it("is listed with pages of its messages", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    for (const name of ["p1", "p2", "p3"]) await newFolder(service, org, owner, name);
    await deliver(webhook);
    const first = await call<WebhookDeliveryPayload[]>("GET", `/${webhook.id}/deliveries?limit=2`);
    const rest = await call<WebhookDeliveryPayload[]>(
      "GET",
      `/${webhook.id}/deliveries?limit=2&cursor=${first.nextCursor}`,
    );
    assert.deepEqual([first.data.length, rest.data.length, rest.nextCursor], [2, 1, null]);
    assert.equal(new Set([...first.data, ...rest.data].map(({ id }) => id)).size, 3);
  });

  it("reads by indexes", async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 500 });
    const plans = await plansOf(service, async () => {
      await newFolder(service, org, owner, "indexed");
      await deliver(webhook);
      await queueDeliveries(app);
      await call("GET");
      await deliveries(webhook);
      await deliveries(webhook, "?state=failed");
      await service.call("GET", "/api/user/attention", { cookie: owner.cookie });
      await call("PATCH", `/${webhook.id}`, { enabled: false });
      await call("PATCH", `/${webhook.id}`, { enabled: true });
    });
    assertIndexed(plans, 300);
  });
});

// The last, since its days end the session.
describe("messages of a webhook", () => {
  it("are removed with it", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "kept");
    await deliver(webhook);
    await remove(webhook);
    assert.equal((await call("GET", `/${webhook.id}`)).code, "not_found");
    await deliver(webhook);
    const messages = app.storage.database.raw.collection("webhook_messages");
    assert.equal(await messages.countDocuments({ webhookId: webhook.id }), 0);
  });

  it("are removed after 30 days", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "old");
    await deliver(webhook);
    clock.advance((limits.webhookMessageDays + 1) * 86_400_000);
    await newFolder(service, org, owner, "new");
    await deliver(webhook);
    await purge(app);
    const messages = app.storage.database.raw.collection("webhook_messages");
    assert.equal(await messages.countDocuments({ webhookId: webhook.id }), 1);
  });
});
