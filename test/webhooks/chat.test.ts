/** Webhooks in the forms of chats. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newFolder } from "../support/organization.ts";
import { setUpWebhooks } from "../support/webhooks.ts";

const { service, app, owner, org, receiver, call, create, deliver } = await setUpWebhooks();

describe("a webhook of a chat", () => {
  it("gets the form of Slack, in which no name mentions people or becomes a link", async () => {
    const { webhook, secret } = await create({ kind: "slack", events: ["folder.created"] });
    assert.equal(secret, null);
    assert.equal(webhook.url, `https://${new URL(receiver.url).host}/…`);
    assert.equal((await call("POST", `/${webhook.id}/secret`)).code, "refused");
    await newFolder(service, org, owner, "chat");
    await service.settled();
    await app.storage.database.raw
      .collection("webhook_messages")
      .updateMany(
        { webhookId: webhook.id },
        { $set: { "data.resource.name": "<!channel> `<https://evil|x>` & co" } },
      );
    await deliver(webhook);
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    assert.equal(headers["webhook-signature"], undefined);
    const { text } = JSON.parse(body) as { text: string };
    assert.ok(text.startsWith("*Folder created*\n"));
    assert.ok(text.includes("name: `&lt;!channel&gt; '&lt;https://evil|x&gt;' &amp; co`"), text);
    assert.equal(text.match(/</g)?.length, 1);
  });

  it("gets an adaptive card for Teams, with names as text that is not Markdown", async () => {
    const { webhook } = await create({ kind: "teams", events: ["folder.created"] });
    await newFolder(service, org, owner, "cards");
    await deliver(webhook);
    const { type, attachments } = JSON.parse(receiver.received[0]!.body) as {
      type: string;
      attachments: {
        contentType: string;
        content: { body: { type: string }[]; actions: { url: string }[] };
      }[];
    };
    assert.equal(type, "message");
    assert.equal(attachments[0]?.contentType, "application/vnd.microsoft.card.adaptive");
    assert.ok(attachments[0].content.body.every((block) => block.type === "RichTextBlock"));
    assert.equal(attachments[0].content.actions[0]?.url, `${app.config.baseUrl}/${org.slug}/-/library/cards`);
  });
});
