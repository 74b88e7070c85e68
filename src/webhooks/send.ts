/** Outgoing webhooks, signed as Standard Webhooks (https://www.standardwebhooks.com) describes it. */
import { createHmac, randomBytes } from "node:crypto";
import { openGuardedFetch } from "../../repos/transport/guarded-fetch.ts";

const limits = { firstByteMs: 10_000, silenceMs: 10_000, maxBytes: 64 * 1024 };
const prefix = "whsec_";

export interface WebhookTarget {
  url: string;
  /** `whsec_` and base64. */
  secret: string;
  privateNetwork: boolean;
}

export interface WebhookMessage {
  /** The same in repetitions. */
  id: string;
  body: string;
  sentAt: Date;
}

export const newWebhookSecret = () => `${prefix}${randomBytes(32).toString("base64")}`;

/** Follows no redirect. Throws unless the receiver responds with 2xx; the message has no text of the response. */
export async function sendSigned(
  { url, secret, privateNetwork }: WebhookTarget,
  { id, body, sentAt }: WebhookMessage,
): Promise<void> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const guarded = openGuardedFetch({ ...limits, allowPrivateNetwork: privateNetwork });
  try {
    const response = await guarded.fetch(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
      },
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The receiver responded with status ${response.status}.`);
  } finally {
    guarded.close();
  }
}

const signatureOf = (secret: string, text: string) =>
  createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(text)
    .digest("base64");
