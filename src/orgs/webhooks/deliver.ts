/**
 * Delivers the messages of a webhook. One process at a time does, so that the number of requests is that of the whole
 * service. Messages are read from the database until they are recorded as delivered or failed: none is lost if the
 * process ends, and one that was being sent is sent again.
 */
import { immediately, type WebhookMessageDoc } from "../../../storage/webhooks/messages.ts";
import type { WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { App } from "../../app.ts";
import { retryAfter } from "../../webhooks/deliver-soon.ts";
import { openReceivers } from "../../webhooks/send.ts";
import { attempt } from "./attempt.ts";

/** Requests at a time to one receiver. */
export const maxRequests = 20;
/** Longer than the interval of renewals and a request together. */
const leaseMs = 30_000;
const renewMs = 5000;
/** Time after which other webhooks get their turn. */
const turnMs = 10_000;
/** Pause of a job while another process delivers. */
const busyMs = 1000;
const batchSize = 100;

/** Delivers what is due, for a turn. A failure of the receiver is recorded and never thrown. */
export async function deliverWebhook(app: App, webhookId: string): Promise<void> {
  const { webhooks } = app.storage;
  const lease = app.newId();
  const webhook = await webhooks.begin(webhookId, lease, app.now(), leaseEnd(app));
  if (!webhook) {
    if (await webhooks.exists(webhookId)) return retryAfter(app, webhookId, busyMs);
    while ((await app.storage.webhookMessages.removeOfWebhook(webhookId)) > 0);
    return;
  }
  let after: WebhookDoc | null = webhook;
  try {
    after = await takeTurn(app, webhook, lease);
  } finally {
    await webhooks.end(webhookId, lease);
  }
  const next = after && (await app.storage.webhookMessages.nextDue(webhookId, horizonOf(after)));
  if (!next) return;
  const at = Math.max(next.getTime(), after?.pausedUntil?.getTime() ?? 0);
  await retryAfter(app, webhookId, Math.max(0, at - app.now().getTime()));
}

const leaseEnd = (app: App) => new Date(app.now().getTime() + leaseMs);
const farFuture = new Date(8.64e15);

/** A disabled webhook sends only what a person asks for. */
const horizonOf = ({ enabled }: WebhookDoc) => (enabled ? farFuture : immediately);

/** Returns the webhook as it is after the turn; null if it was deleted, or another process has taken over. */
async function takeTurn(app: App, webhook: WebhookDoc, lease: string): Promise<WebhookDoc | null> {
  const receivers = openReceivers(app.config.webhookPrivateNetwork);
  const started = performance.now();
  let current: WebhookDoc | null = webhook;
  let renewedAt = started;
  let isFailing = (webhook.failures ?? 0) > 0;
  let due: WebhookMessageDoc[] = [];
  const sending = new Map<string, Promise<void>>();
  let failure: { error: unknown } | undefined;

  /** The next message, unless the turn is over. */
  async function next(): Promise<WebhookMessageDoc | undefined> {
    if (failure || performance.now() - started > turnMs) return undefined;
    if (performance.now() - renewedAt > renewMs) {
      current = await app.storage.webhooks.renew(webhook._id, lease, leaseEnd(app));
      renewedAt = performance.now();
    }
    if (!current || isPaused(app, current)) return undefined;
    if (due.length === 0) {
      const until = current.enabled ? app.now() : immediately;
      due = await app.storage.webhookMessages.listDue(webhook._id, until, [...sending.keys()], batchSize);
    } else if (!current.enabled) due = due.filter(isAsked);
    return due.shift();
  }

  async function send(message: WebhookMessageDoc): Promise<void> {
    try {
      // Read for each message: a previous receiver, and one that was disabled or deleted, gets no further one.
      const to = await app.storage.webhooks.findHeld(webhook._id, lease);
      current = to;
      if (!to || isPaused(app, to) || !(to.enabled || isAsked(message))) return;
      const outcome = await attempt(app, receivers, to, message);
      isFailing = !outcome.isDelivered;
      if (current && !outcome.isDelivered) current = outcome.webhook;
    } catch (error) {
      failure = { error };
    } finally {
      sending.delete(message._id);
    }
  }

  try {
    for (;;) {
      // A receiver that is failing gets one request at a time, until it takes a message.
      const limit = webhook.kind !== "standard" || isFailing ? 1 : maxRequests;
      const message = sending.size < limit ? await next() : undefined;
      if (message) sending.set(message._id, send(message));
      else if (sending.size > 0) await Promise.race(sending.values());
      else break;
    }
  } finally {
    receivers.close();
  }
  if (failure) throw failure.error;
  return current;
}

const isPaused = (app: App, { pausedUntil }: WebhookDoc) =>
  pausedUntil !== undefined && pausedUntil > app.now();

/** Whether a person asks for a message. */
const isAsked = ({ nextAttemptAt = farFuture }: WebhookMessageDoc) => nextAttemptAt <= immediately;
