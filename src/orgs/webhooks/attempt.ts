/** One attempt to send a message, and what follows from its outcome. */
import { noteCount } from "../../../contract/observation.ts";
import type { GuardedFetch } from "../../../repos/transport/guarded-fetch.ts";
import type { WebhookMessageDoc } from "../../../storage/webhooks/messages.ts";
import type { WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { App } from "../../app.ts";
import { bodyOf, messageId } from "../../webhooks/forms.ts";
import { failureText, ReceiverError, sendMessage, type WebhookResponse } from "../../webhooks/send.ts";
import { disableWebhook } from "./disable.ts";
import { openTarget } from "./target.ts";

const secondMs = 1000;
const hourMs = 3600 * secondMs;
/** Pauses after the failures of a message; after the last one, it is not sent again. */
export const pausesMs = [
  5 * secondMs,
  300 * secondMs,
  1800 * secondMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];
/** Part of a pause by which it is longer at random, so that messages of one outage do not return together. */
const jitter = 0.2;
/** Time without a delivery, in which all attempts have failed, after which a webhook is disabled. */
export const maxFailingMs = 72 * hourMs;
/** Pause of the whole webhook after a response that asks for one, if it does not say how long. */
const slowDownMs = 30 * secondMs;
const maxPauseMs = hourMs;
const slowDownStatuses = new Set([429, 502, 503, 504]);
/** A delivery is noted at the webhook at most that often, unless it ends failures. */
const noteMs = 10 * secondMs;

/** Outcome of an attempt: a failure may ask for a pause of the webhook. */
export type Outcome = { isDelivered: true } | { isDelivered: false; webhook: WebhookDoc | null };

/** Sends a message and records the outcome. Only failures of the service are thrown. */
export async function attempt(
  app: App,
  receivers: GuardedFetch,
  webhook: WebhookDoc,
  message: WebhookMessageDoc,
): Promise<Outcome> {
  const at = app.now();
  const started = performance.now();
  const { response, error } = await send(app, receivers, webhook, message);
  const made = { at, durationMs: Math.round(performance.now() - started), status: response?.status, error };
  noteCount("webhookAttempts", { outcome: error === undefined ? "delivered" : "failed" });
  if (error === undefined) {
    await app.storage.webhookMessages.noteAttempt(message._id, made, {
      state: "delivered",
      response: response?.body,
    });
    const { failures = 0, deliveredAt } = webhook;
    if (failures > 0 || !deliveredAt || at.getTime() - deliveredAt.getTime() > noteMs)
      await app.storage.webhooks.noteDelivery(webhook._id, at);
    return { isDelivered: true };
  }
  const pauseMs = response && pauseOf(response, app.now());
  const pausedUntil = pauseMs === undefined ? undefined : new Date(app.now().getTime() + pauseMs);
  const nextAttemptAt = nextAttempt(app, message, pausedUntil);
  await app.storage.webhookMessages.noteAttempt(message._id, made, {
    state: nextAttemptAt ? "pending" : "failed",
    nextAttemptAt,
    response: response?.body ?? "",
  });
  const after = await app.storage.webhooks.noteFailure(webhook._id, { error, now: at, pausedUntil });
  const failingMs = at.getTime() - (after?.failingSince ?? at).getTime();
  const isGone = response?.status === 410;
  if (!after?.enabled || (!isGone && failingMs < maxFailingMs)) return { isDelivered: false, webhook: after };
  await disableWebhook(app, after, isGone ? "gone" : "failing");
  return { isDelivered: false, webhook: { ...after, enabled: false } };
}

async function send(
  app: App,
  receivers: GuardedFetch,
  webhook: WebhookDoc,
  message: WebhookMessageDoc,
): Promise<{ response?: WebhookResponse; error?: string }> {
  try {
    const response = await sendMessage(receivers, openTarget(app, webhook), {
      id: messageId(message),
      body: bodyOf(webhook.kind, message),
      sentAt: app.now(),
    });
    const isTaken = response.status >= 200 && response.status < 300;
    return { response, error: isTaken ? undefined : ReceiverError.refused(response.status).message };
  } catch (error) {
    app.log.debug(
      { error, webhookId: webhook._id },
      "a message could not be sent to the receiver of a webhook",
    );
    return { error: failureText(error) };
  }
}

/** Undefined if the message is not sent again. */
function nextAttempt(
  app: App,
  { once, attemptCount }: WebhookMessageDoc,
  pausedUntil: Date | undefined,
): Date | undefined {
  const pauseMs = pausesMs[attemptCount];
  if (once || pauseMs === undefined) return undefined;
  const at = app.now().getTime() + pauseMs * (1 + jitter * Math.random());
  return new Date(Math.max(at, pausedUntil?.getTime() ?? 0));
}

/** Time for which a response asks for no further requests; `retry-after` has seconds or a date. */
function pauseOf({ status, retryAfter }: WebhookResponse, now: Date): number | undefined {
  const text = retryAfter?.trim() ?? "";
  const asked = /^\d+$/.test(text) ? Number(text) * secondMs : Date.parse(text) - now.getTime();
  if (asked > 0) return Math.min(asked, maxPauseMs);
  return slowDownStatuses.has(status) ? slowDownMs : undefined;
}
