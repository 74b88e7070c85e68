import { limits } from "../../../contract/limits.ts";
import type {
  CreatedWebhookPayload,
  WebhookDeliveryDetailPayload,
  WebhookDeliveryPayload,
  WebhookPayload,
} from "../../../contract/payloads/organizations/webhooks.ts";
import type { WebhookAttempt, WebhookMessageDoc } from "../../../storage/webhooks/messages.ts";
import type { WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { App } from "../../app.ts";
import { bodyOf, messageId } from "../../webhooks/forms.ts";
import type { WithSecret } from "./service.ts";
import { openUrl } from "./target.ts";

const isoOf = (time: Date | undefined) => time?.toISOString() ?? null;

export async function presentWebhook(app: App, webhook: WebhookDoc): Promise<WebhookPayload> {
  const { _id, kind, enabled, disabled, previousSecret, failingSince } = webhook;
  const until = previousSecret && previousSecret.until > app.now() ? previousSecret.until : undefined;
  const enabledState = failingSince ? "failing" : "working";
  return {
    id: _id,
    name: webhook.name,
    kind,
    url: kind === "standard" ? openUrl(app, webhook) : `https://${webhook.host}/…`,
    events: webhook.events,
    enabled,
    disabled: disabled ? { reason: disabled.reason, at: disabled.at.toISOString() } : null,
    state: enabled ? enabledState : "disabled",
    failingSince: isoOf(failingSince),
    error: webhook.error ?? null,
    deliveredAt: isoOf(webhook.deliveredAt),
    waiting: await app.storage.webhookMessages.countPending(_id, limits.webhookCountedMessages),
    previousSecretUntil: isoOf(until),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

export const presentCreated = async (
  app: App,
  { webhook, secret }: WithSecret,
): Promise<CreatedWebhookPayload> => ({ ...(await presentWebhook(app, webhook)), secret });

const presentAttempt = ({ at, durationMs, status, error }: WebhookAttempt) => ({
  at: at.toISOString(),
  durationMs,
  status: status ?? null,
  error: error ?? null,
});

export function presentDelivery(message: WebhookMessageDoc): WebhookDeliveryPayload {
  const last = message.attempts.at(-1);
  return {
    id: message._id,
    type: message.type,
    createdAt: message.at.toISOString(),
    state: message.state,
    attemptCount: message.attemptCount,
    lastAttempt: last ? presentAttempt(last) : null,
    nextAttemptAt: isoOf(message.nextAttemptAt),
  };
}

export function presentDeliveryDetail(
  { kind }: Pick<WebhookDoc, "kind">,
  message: WebhookMessageDoc,
): WebhookDeliveryDetailPayload {
  return {
    ...presentDelivery(message),
    messageId: messageId(message),
    body: bodyOf(kind, message),
    response: message.response ?? null,
    attempts: message.attempts.map(presentAttempt),
  };
}
