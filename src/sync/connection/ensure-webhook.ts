/** Having the host tell us of pushes, where the connection does not bring that along. */
import { randomBytes } from "node:crypto";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import type { ConnectionDoc } from "../../../storage/connections.ts";
import type { App } from "../../app.ts";

const webhookSecretBytes = 32;
/** A permission that was missing may be given later, and an address reached. */
const retryMs = 3_600_000;
/** Somebody may have removed it at the host, or the service may have moved. */
const renewMs = 24 * 3_600_000;

/** Where the webhook of a connection leads. */
export function webhookUrl({ config }: App, connectionId: string): string {
  return `${config.baseUrl}/api/webhooks/github?connection=${connectionId}`;
}

/**
 * Has the host call us on each push. Where it will not, or can't reach us, the branch is looked at every few minutes
 * instead, and it is asked again later. One that is there is renewed, under the secret that it has: what is on its way
 * is signed with that.
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
    await app.storage.connections.retryWebhook(_id, after(retryMs));
    app.log.warn({ error, connection: _id }, "no webhook: the branch is looked at instead");
  }
}

/** Whether it is time to ask again. */
export function isWebhookDue(app: App, { webhookAt }: ConnectionDoc): boolean {
  return webhookAt === undefined || webhookAt <= app.now();
}
