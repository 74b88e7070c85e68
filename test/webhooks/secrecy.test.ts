/** Where the address of a chat and the secrets of webhooks are, and names that not every member may read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreatedWebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import { newFolder, publishSkill, restrict } from "../support/organization.ts";
import { setUpWebhooks } from "../support/webhooks.ts";

const logged: string[] = [];
const { service, app, owner, org, receiver, call, create, deliver, deliveries, detail, reauthenticate } =
  await setUpWebhooks({ logged });

/** Everything that is stored, as text. */
async function stored(): Promise<string> {
  const collections = await app.storage.database.raw.collections();
  const rows = await Promise.all(collections.map((collection) => collection.find().toArray()));
  return JSON.stringify(rows);
}

const get = async (path: string) =>
  JSON.stringify((await service.call("GET", path, { cookie: owner.cookie })).body);

describe("an address and a secret", () => {
  it("are in no later response, and in no entry, record or message of the service", async () => {
    const hidden = "T0-hidden-part";
    const unreachable = `http://127.0.0.1:1/services/${hidden}`;
    const { webhook: chat } = await create({ kind: "slack", url: `${receiver.url}/${hidden}` });
    const { webhook, secret } = await create();
    const rotated = await call<CreatedWebhookPayload>("POST", `/${webhook.id}/secret`);
    const changed = await call("PATCH", `/${chat.id}`, {
      url: `${unreachable}x`,
      events: ["folder.created"],
    });
    assert.equal(changed.status, 200);
    await newFolder(service, org, owner, "secretive");
    for (const one of [chat, webhook]) await deliver(one);
    const [failed] = await deliveries(chat);
    assert.equal(failed?.state, "pending");
    await call("POST", "", { name: "taken", url: `${unreachable}#x`, kind: "slack" });
    await service.settled();
    const base = `/api/tenants/${org.slug}`;
    const texts = [
      await get(`${base}/webhooks`),
      await get(`${base}/webhooks/${chat.id}`),
      JSON.stringify([await detail(chat, failed), await deliveries(webhook), changed.body]),
      await get(`${base}/audit-log`),
      await get("/api/user/attention"),
      await stored(),
      logged.join("\n"),
    ];
    assert.ok(texts[3]!.includes("organization.webhook_updated"));
    for (const [at, text] of texts.entries())
      for (const one of [hidden, secret!, rotated.data.secret!])
        assert.ok(!text.includes(one), `${at} has ${one}`);
  });
});

describe("a name that not every member may read", () => {
  it("is in no message about a restricted folder that is renamed or moved, and about what is in it", async () => {
    await reauthenticate();
    const folder = await newFolder(service, org, owner, "plain-name");
    const inner = await newFolder(service, org, owner, "plain-name/plain-inner");
    const target = await newFolder(service, org, owner, "target");
    const skill = await publishSkill(service, org, owner, { name: "movable" });
    await restrict(service, owner, folder.id, []);
    await service.settled();
    const { webhook } = await create();
    const { cookie } = owner;
    const change = async (path: string, body: object, method = "PATCH") => {
      const answer = await service.call(method, path, { cookie, body });
      assert.equal(answer.status, 200, answer.error);
      await service.settled();
    };
    await change(`/api/folders/${folder.id}`, { name: "Acquisition" });
    await change(`/api/folders/${inner.id}`, { name: "Bidders" });
    await change(`/api/folders/${folder.id}`, { parentId: target.id });
    await change(`/api/skills/${skill.id}/move`, { folderId: inner.id }, "POST");
    await change(`/api/skills/${skill.id}`, { name: "Takeover" }, "PUT");
    await service.call("DELETE", `/api/skills/${skill.id}`, { cookie });
    await deliver(webhook);
    const texts = receiver.received.map(({ body }) => body);
    for (const { id } of [folder, inner, skill])
      assert.ok(
        texts.some((text) => text.includes(id)),
        "it is reported by its id",
      );
    assert.doesNotMatch(texts.join("\n"), /acquisition|bidders|takeover|movable/i);
  });
});
