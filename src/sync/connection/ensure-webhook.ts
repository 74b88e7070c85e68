/** Webhook of a connection, for hosts that do not report pushes without one. */
import { randomBytes } from "node:crypto";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { App } from "../../app.ts";

const webhookSecretBytes = 32;
/** Pause after a failure: a missing permission may be granted, and an unreachable address become reachable. */
const retryMs = 3_600_000;
/** Interval of renewals: the webhook may have been removed at the host, or the address of the service changed. */
const renewMs = 24 * 3_600_000;

/** URL to which the webhook of a connection sends deliveries. */
export function webhookUrl({ config }: App, connectionId: string): string {
  return `${config.baseUrl}/api/webhooks/github?connection=${connectionId}`;
}

/**
 * Creates or renews the webhook of a connection. If the host refuses, the branch is polled every few minutes, and the
 * creation is retried later. A renewed webhook keeps its secret, with which deliveries in transit are signed.
 */
export async function ensureWebhook(
  app: App,
  connection: ConnectionDoc,
  host: RepositoryHost,
): Promise<void> {
  if (!host.ensureWebhook) return;
  const { _id, webhook } = connection;
  const url = webhookUrl(app, _id);
  const after = (ms: number) => new Date(app.now().getTime() + ms);
  try {
    const secret = webhook
      ? app.secrets.open(webhook.secret, _id)
      : randomBytes(webhookSecretBytes).toString("hex");
    const { id } = await host.ensureWebhook({ id: webhook?.id, url, secret });
    const made = { id, secret: webhook?.secret ?? app.secrets.seal(secret, _id) };
    // A disconnect at this moment waits for the new webhook and removes it.
    await app.storage.connections.setWebhook(_id, made, after(renewMs));
  } catch (error) {
    await app.storage.connections.change(_id, { set: { webhookAt: after(retryMs) } });
    app.log.warn({ error, connection: _id }, "no webhook could be created: the branch is polled instead");
  }
}

/** Whether the webhook is due to be created or renewed. */
export function isWebhookDue(app: App, { webhookAt }: ConnectionDoc): boolean {
  return webhookAt === undefined || webhookAt <= app.now();
}
