/** Messages to the receiver of a webhook, for callers with the permission `security:manage`. */
import { webhookTest } from "../../../contract/events/webhook-events.ts";
import { immediately, type WebhookMessageDoc } from "../../../storage/webhooks/messages.ts";
import type { WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { eventActor } from "../../audit/events.ts";
import { notFound } from "../../errors.ts";
import { TimeCursor, decodeCursor, pageOf } from "../../http/request/cursor.ts";
import type { Page } from "../../http/route.ts";
import { deliverSoon } from "../../webhooks/deliver-soon.ts";
import type { DeliveryQuery } from "./schema.ts";
import { loadWebhook } from "./service.ts";

type WebhookRef = Parameters<typeof loadWebhook>[2];
type DeliveryRef = WebhookRef & { delivery: string };

/** A page of messages, newest first. */
export async function listDeliveries(
  app: App,
  actor: Actor,
  ref: WebhookRef,
  { limit, cursor, state }: DeliveryQuery,
): Promise<Page<WebhookMessageDoc>> {
  const { _id } = await loadWebhook(app, actor, ref);
  const before = decodeCursor(cursor, TimeCursor);
  const rows = await app.storage.webhookMessages.list(_id, { state, before, limit: limit + 1 });
  return pageOf(rows, limit, (last) => [last.at.getTime(), last._id]);
}

export async function loadDelivery(
  app: App,
  actor: Actor,
  ref: DeliveryRef,
): Promise<{ webhook: WebhookDoc; message: WebhookMessageDoc }> {
  const webhook = await loadWebhook(app, actor, ref);
  const message = await app.storage.webhookMessages.find(webhook._id, ref.delivery);
  if (!message) throw notFound("delivery", ref.delivery);
  return { webhook, message };
}

/** Sends a message again with the same id, also to a disabled webhook. One that is not pending is tried once. */
export async function resendDelivery(app: App, actor: Actor, ref: DeliveryRef): Promise<WebhookMessageDoc> {
  const { webhook, message } = await loadDelivery(app, actor, ref);
  await app.storage.webhookMessages.resend(message._id);
  await deliverSoon(app, webhook);
  return (await loadDelivery(app, actor, ref)).message;
}

/** Queues a message without an event, which is tried once. */
export async function testWebhook(app: App, actor: Actor, ref: WebhookRef): Promise<WebhookMessageDoc> {
  const webhook = await loadWebhook(app, actor, ref);
  const tenant = await app.storage.tenants.find(webhook.tenantId);
  if (!tenant) throw notFound("organization", ref.tenant);
  const eventId = app.newId();
  const message: WebhookMessageDoc = {
    _id: `${webhook._id}:${eventId}`,
    webhookId: webhook._id,
    tenantId: tenant._id,
    eventId,
    type: webhookTest,
    at: app.now(),
    data: {
      organization: { id: tenant._id, slug: tenant.slug },
      actor: eventActor(actor),
      url: `${app.config.baseUrl}/${tenant.slug}/-/webhooks`,
    },
    state: "pending",
    nextAttemptAt: immediately,
    once: true,
    attemptCount: 0,
    attempts: [],
  };
  await app.storage.webhookMessages.record([message]);
  await deliverSoon(app, webhook);
  return message;
}
