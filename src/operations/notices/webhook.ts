/** The webhook for operators, signed as Standard Webhooks (https://www.standardwebhooks.com) describes it. */
import { createHmac } from "node:crypto";
import { openGuardedFetch } from "../../../repos/transport/guarded-fetch.ts";
import type { OperatorConditionDoc, OperatorNotice } from "../../../storage/operator-conditions.ts";
import type { App } from "../../app.ts";

const limits = { firstByteMs: 10_000, silenceMs: 10_000, maxBytes: 64 * 1024 };

/** Throws unless the receiver responds with 2xx. Does nothing without a webhook. */
export async function sendWebhook(
  app: App,
  { _id, text, since }: OperatorConditionDoc,
  { id, type, at }: OperatorNotice,
): Promise<void> {
  const { operatorWebhook: webhook } = app.config;
  if (!webhook) return;
  const body = JSON.stringify({
    type: `condition.${type}`,
    timestamp: at.toISOString(),
    data: { condition: _id, text, since: since?.toISOString() ?? null, service: app.config.baseUrl },
  });
  const timestamp = String(Math.floor(app.now().getTime() / 1000));
  const guarded = openGuardedFetch({ ...limits, allowPrivateNetwork: webhook.privateNetwork });
  try {
    const response = await guarded.fetch(webhook.url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signatureOf(webhook.secret, `${id}.${timestamp}.${body}`)}`,
      },
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The receiver responded with status ${response.status}.`);
  } finally {
    guarded.close();
  }
}

/** The secret is base64 after `whsec_`. */
const signatureOf = (secret: string, text: string) =>
  createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(text)
    .digest("base64");
