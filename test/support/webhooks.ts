/** Webhooks of an organization with a receiver, and the calls of their tests. */
import assert from "node:assert/strict";
import { afterEach } from "node:test";
import type {
  CreatedWebhookPayload,
  WebhookDeliveryDetailPayload,
  WebhookDeliveryPayload,
  WebhookPayload,
} from "../../contract/payloads/organizations/webhooks.ts";
import { deliverWebhook } from "../../src/orgs/webhooks/deliver.ts";
import type { TestUser } from "./service.ts";
import { setUpOrganization, type ServiceSetUp } from "./set-up.ts";
import { startReceiver } from "./webhook-receiver.ts";

type Ref = Pick<WebhookPayload, "id">;

/** A service that may send to this machine. Every webhook is removed after each test. */
export async function setUpWebhooks(options: ServiceSetUp = {}) {
  const receiver = await startReceiver();
  const setUp = await setUpOrganization({
    reportsCommands: true,
    webhookPrivateNetwork: true,
    ...options,
  });
  const { service, owner, org } = setUp;
  const { app } = service;
  const base = `/api/tenants/${org.slug}/webhooks`;
  const call = <T>(method: string, path = "", body?: object, user: Pick<TestUser, "cookie"> = owner) =>
    service.call<T>(method, `${base}${path}`, { cookie: user.cookie, body });

  afterEach(async () => {
    for (const { _id } of await app.storage.webhooks.list(org.id))
      await app.storage.webhooks.markRemoved(_id, app.now(), []);
    receiver.received.length = 0;
    receiver.answer = () => ({ status: 204 });
  });

  async function reauthenticate(): Promise<void> {
    const answer = await service.call("POST", "/api/auth/reauthenticate", {
      cookie: owner.cookie,
      body: { password: "correct horse battery" },
    });
    assert.equal(answer.status, 200, answer.error);
    const [renewed] = answer.headers.getSetCookie();
    if (renewed !== undefined) owner.cookie = renewed.split(";")[0]!;
  }

  let count = 0;
  return {
    ...setUp,
    app,
    receiver,
    base,
    call,
    reauthenticate,
    async create(fields: object = {}): Promise<{ webhook: WebhookPayload; secret: string | null }> {
      await reauthenticate();
      const body = { name: `hook ${++count}`, url: receiver.url, ...fields };
      const answer = await call<CreatedWebhookPayload>("POST", "", body);
      assert.equal(answer.status, 201, answer.error);
      const { secret, ...webhook } = answer.data;
      return { webhook, secret };
    },
    /** Delivers what is due, once everything in the background is done. */
    async deliver({ id }: Ref): Promise<void> {
      await service.settled();
      await deliverWebhook(app, id);
    },
    read: async ({ id }: Ref) => (await call<WebhookPayload>("GET", `/${id}`)).data,
    deliveries: async ({ id }: Ref, query = "") =>
      (await call<WebhookDeliveryPayload[]>("GET", `/${id}/deliveries${query}`)).data,
    detail: async ({ id }: Ref, delivery: { id: string }) =>
      (await call<WebhookDeliveryDetailPayload>("GET", `/${id}/deliveries/${delivery.id}`)).data,
    remove: async ({ id }: Ref) => {
      await reauthenticate();
      const { status, error } = await call("DELETE", `/${id}`);
      assert.equal(status, 200, error);
      await service.settled();
    },
  };
}
