/** Settings of webhooks: who may read and change them, and what they accept. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { WebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import { allowOutbound } from "../../repos/transport/outbound-allow.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { setUpWebhooks } from "../support/webhooks.ts";

const { service, app, clock, owner, org, receiver, call, create, read, remove, deliver, reauthenticate } =
  await setUpWebhooks();

describe("the settings of webhooks", () => {
  it("are for those who manage the security, after a recent verification", async () => {
    const { webhook } = await create();
    const member = await newMember(service, org, "member");
    const viewer = await newMember(service, org, "viewer");
    const stranger = await service.newUser();
    const body = { name: "spy", url: receiver.url };
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", `/${webhook.id}`],
      ["PATCH", `/${webhook.id}`],
      ["DELETE", `/${webhook.id}`],
      ["POST", `/${webhook.id}/secret`],
      ["POST", `/${webhook.id}/test`],
      ["GET", `/${webhook.id}/deliveries`],
      ["POST", `/${webhook.id}/deliveries/x/resend`],
    ] as const) {
      const codes = await Promise.all(
        [member, viewer, stranger].map(
          async (user) => (await call(method, path, method === "GET" ? undefined : body, user)).code,
        ),
      );
      assert.deepEqual(codes, ["forbidden", "forbidden", "not_found"], `${method} ${path}`);
    }
    clock.advance(limits.recentVerificationMs + 1000);
    for (const [method, path, change] of [
      ["POST", "", body],
      ["PATCH", `/${webhook.id}`, { url: `${receiver.url}2` }],
      ["PATCH", `/${webhook.id}`, { events: null }],
      ["PATCH", `/${webhook.id}`, { enabled: false }],
      ["DELETE", `/${webhook.id}`, undefined],
      ["POST", `/${webhook.id}/secret`, undefined],
    ] as const)
      assert.equal((await call(method, path, change)).code, "reauthentication_required", path);
  });

  it("are read and changed by no token that is limited to other things", async () => {
    const { webhook } = await create();
    const limited = { name: "narrow", scopes: { skill: ["read"] } };
    const tokens = await Promise.all(
      ["/api/user/tokens", `/api/tenants/${org.slug}/tokens`].map(async (path) => {
        const made = await service.call<{ token: string }>("POST", path, {
          cookie: owner.cookie,
          body: limited,
        });
        assert.equal(made.status, 201, made.error);
        return made.data.token;
      }),
    );
    for (const token of tokens)
      for (const [method, path] of [
        ["GET", ""],
        ["GET", `/${webhook.id}/deliveries`],
        ["PATCH", `/${webhook.id}`],
        ["POST", `/${webhook.id}/test`],
      ] as const) {
        const body = method === "PATCH" ? { enabled: false } : undefined;
        const answer = await service.call(method, `/api/tenants/${org.slug}/webhooks${path}`, {
          token,
          body,
        });
        assert.equal(answer.code, "forbidden", `${method} ${path}`);
      }
  });

  it("are found only in their organization", async () => {
    const { webhook } = await create();
    const other = await service.newUser();
    const elsewhere = await service.newOrg(other);
    const path = `/api/tenants/${elsewhere.slug}/webhooks/${webhook.id}`;
    for (const at of [path, `${path}/deliveries`])
      assert.equal((await service.call("GET", at, { cookie: other.cookie })).code, "not_found");
  });

  it("have names of their own, and at most 20", async () => {
    const made: WebhookPayload[] = [];
    for (let at = 0; at < limits.webhooksPerOrganization; at++) made.push((await create()).webhook);
    const one = { name: "more", url: receiver.url };
    assert.equal((await call("POST", "", one)).code, "limit_reached");
    await remove(made.pop()!);
    assert.equal((await call("POST", "", { ...one, name: made[0]!.name })).code, "already_exists");
    for (const webhook of made) await remove(webhook);
    assert.deepEqual((await call("GET")).data, []);
  });

  it("refuse addresses with credentials, and others than https without private networks", async () => {
    await reauthenticate();
    for (const url of [
      "ftp://example.com/",
      "https://user:pass@example.com/",
      "https://example.com/#x",
      "/x",
      "",
    ])
      assert.equal((await call("POST", "", { name: "wrong", url })).code, "invalid_request", url);
    app.config.webhookPrivateNetwork = false;
    try {
      for (const url of [
        receiver.url,
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://[::1]/",
        "https://10.1.2.3:8443/",
        "https://169.254.169.254/latest",
        "https://[::ffff:127.0.0.1]/",
      ])
        assert.equal((await call("POST", "", { name: "wrong", url })).code, "invalid_request", url);
      // A name that leads there is refused when the connection is opened.
      const { webhook } = await create({ url: "https://localhost/hook", events: ["folder.created"] });
      await newFolder(service, org, owner, "inward");
      await deliver(webhook);
      assert.match((await read(webhook)).error ?? "", /private network/);
      await remove(webhook);
    } finally {
      app.config.webhookPrivateNetwork = true;
    }
  });

  it("accept addresses of a network, and a host, that OUTBOUND_ALLOW lists", async () => {
    app.config.webhookPrivateNetwork = false;
    try {
      for (const [allowed, url] of [
        ["127.0.0.0/8", receiver.url],
        ["localhost", receiver.url.replace("127.0.0.1", "localhost")],
      ] as const) {
        allowOutbound(allowed);
        receiver.received.length = 0;
        const { webhook } = await create({ url, events: ["folder.created"] });
        await newFolder(service, org, owner, `outward-${new URL(url).hostname.replaceAll(".", "-")}`);
        await deliver(webhook);
        assert.equal(receiver.received.length, 1, url);
        await remove(webhook);
        const other = await call("POST", "", { name: "wrong", url: "https://10.1.2.3/" });
        assert.equal(other.code, "invalid_request");
      }
    } finally {
      allowOutbound(undefined);
      app.config.webhookPrivateNetwork = true;
    }
  });
});
