/** Outgoing webhooks, signed as Standard Webhooks (https://www.standardwebhooks.com) describes it. */
import { createHmac, randomBytes } from "node:crypto";
import { RepoError } from "../../repos/errors.ts";
import { openGuardedFetch, type GuardedFetch } from "../../repos/transport/guarded-fetch.ts";

/** Time for the whole exchange: a receiver that sends its response byte by byte has no more. */
export const deadlineMs = 15_000;
/** The rest of a longer response is not read. */
const maxResponseBytes = 4096;
const prefix = "whsec_";

export interface WebhookTarget {
  url: string;
  /** Each is `whsec_` and base64. Without one, the message is not signed. */
  secrets: readonly string[];
}

export interface WebhookMessage {
  /** The same in repetitions. */
  id: string;
  body: string;
  sentAt: Date;
}

export interface WebhookResponse {
  status: number;
  /** Beginning of the body. */
  body: string;
  /** The header `retry-after`, if there is one. */
  retryAfter: string | null;
}

/** A receiver that did not take a message; the text says why and has nothing of the response. */
export class ReceiverError extends Error {
  static late = () => new ReceiverError(`The receiver took longer than ${deadlineMs / 1000} seconds.`);
  static refused = (status: number) => new ReceiverError(`The receiver responded with status ${status}.`);
}

/** The reason of a failed delivery as a sentence, without text of the receiver. */
export function failureText(error: unknown): string {
  if (error instanceof RepoError) return `Delivery failed: ${error.message}.`;
  return error instanceof ReceiverError ? error.message : "The message could not be sent.";
}

export const newWebhookSecret = () => `${prefix}${randomBytes(32).toString("base64")}`;

/** Connections to receivers, which follow no redirect. */
export const openReceivers = (allowPrivateNetwork: boolean): GuardedFetch =>
  openGuardedFetch({
    allowPrivateNetwork,
    firstByteMs: deadlineMs,
    silenceMs: deadlineMs,
    maxBytes: maxResponseBytes,
    truncates: true,
  });

/** Sends a message, and returns the response of any status. Throws `ReceiverError` or `RepoError` without one. */
export async function sendMessage(
  receivers: GuardedFetch,
  { url, secrets }: WebhookTarget,
  { id, body, sentAt }: WebhookMessage,
): Promise<WebhookResponse> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = secrets.map((secret) => `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`);
  const headers = new Headers({ "content-type": "application/json" });
  if (signatures.length > 0) {
    headers.set("webhook-id", id);
    headers.set("webhook-timestamp", timestamp);
    headers.set("webhook-signature", signatures.join(" "));
  }
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    // A receiver recognizes a repeated message by its id.
    const response = await receivers.fetch(url, {
      method: "POST",
      body,
      signal,
      headers,
      isIdempotent: true,
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text.slice(0, maxResponseBytes),
      retryAfter: response.headers.get("retry-after"),
    };
  } catch (error) {
    throw signal.aborted ? ReceiverError.late() : error;
  }
}

/** Sends one message by a connection of its own. Throws unless the receiver responds with 2xx. */
export async function sendSigned(
  { url, secret, privateNetwork }: { url: string; secret: string; privateNetwork: boolean },
  message: WebhookMessage,
): Promise<void> {
  const receivers = openReceivers(privateNetwork);
  try {
    const { status } = await sendMessage(receivers, { url, secrets: [secret] }, message);
    if (status < 200 || status > 299) throw ReceiverError.refused(status);
  } finally {
    receivers.close();
  }
}

const signatureOf = (secret: string, text: string) =>
  createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(text)
    .digest("base64");
