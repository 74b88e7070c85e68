/** Outgoing webhooks, signed as Standard Webhooks (https://www.standardwebhooks.com) describes it. */
import { createHmac, randomBytes } from "node:crypto";
import { openGuardedFetch } from "../../repos/transport/guarded-fetch.ts";

/** Time for the whole exchange: a receiver that sends its response byte by byte has no more. */
export const deadlineMs = 10_000;
const limits = { firstByteMs: deadlineMs, silenceMs: deadlineMs, maxBytes: 64 * 1024 };
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

/** A receiver that did not take a message; the text says why and has nothing of the response. */
export class ReceiverError extends Error {
  static late = () => new ReceiverError(`The receiver took longer than ${deadlineMs / 1000} seconds.`);
}

export const newWebhookSecret = () => `${prefix}${randomBytes(32).toString("base64")}`;

/** Follows no redirect. Throws `ReceiverError` or `RepoError` unless the receiver responds with 2xx. */
export async function sendSigned(
  { url, secret, privateNetwork }: WebhookTarget,
  { id, body, sentAt }: WebhookMessage,
): Promise<void> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const guarded = openGuardedFetch({ ...limits, allowPrivateNetwork: privateNetwork });
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await guarded.fetch(url, {
      method: "POST",
      body,
      signal,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
      },
    });
    await response.body?.cancel();
    if (!response.ok) throw new ReceiverError(`The receiver responded with status ${response.status}.`);
  } catch (error) {
    throw signal.aborted ? ReceiverError.late() : error;
  } finally {
    guarded.close();
  }
}

const signatureOf = (secret: string, text: string) =>
  createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(text)
    .digest("base64");
