/** The address and the secrets of a webhook, which are stored encrypted. */
import type { WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { App } from "../../app.ts";
import type { WebhookTarget } from "../../webhooks/send.ts";

const urlRecord = (id: string) => `webhook-url:${id}`;
const secretRecord = (id: string) => `webhook-secret:${id}`;

export const sealUrl = (app: App, id: string, url: string): Pick<WebhookDoc, "sealedUrl" | "host"> => ({
  sealedUrl: app.secrets.seal(url, urlRecord(id)),
  host: new URL(url).host,
});

export const sealSecret = (app: App, id: string, secret: string): NonNullable<WebhookDoc["secret"]> => ({
  sealed: app.secrets.seal(secret, secretRecord(id)),
});

export const openUrl = (app: App, { _id, sealedUrl }: WebhookDoc): string =>
  app.secrets.open(sealedUrl, urlRecord(_id));

/** The previous secret signs too, until its end. */
export function openTarget(app: App, webhook: WebhookDoc): WebhookTarget {
  const { secret, previousSecret } = webhook;
  const previous = previousSecret && previousSecret.until > app.now() ? previousSecret : undefined;
  const secrets = [secret, previous].flatMap((one) =>
    one ? app.secrets.open(one.sealed, secretRecord(webhook._id)) : [],
  );
  return { url: openUrl(app, webhook), secrets };
}
