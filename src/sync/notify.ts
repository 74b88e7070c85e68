/** Having the host tell us of pushes, where the connection does not bring that along. */
import { randomBytes } from "node:crypto";
import type { RepositoryHost } from "../../repos/hosts/host.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { App } from "../app.ts";

const webhookSecretBytes = 32;
/** A permission that was missing may be given later, and an address reached. */
const retryMs = 3_600_000;

/**
 * Has the host call us on each push. Where it will not, or can't reach us, the branch is looked at every few minutes
 * instead, and it is asked again later.
 */
export async function haveUsCalled(app: App, connection: ConnectionDoc, host: RepositoryHost): Promise<void> {
  if (!host.ensureWebhook) return;
  const secret = randomBytes(webhookSecretBytes).toString("hex");
  const url = `${app.config.baseUrl}/api/webhooks/github?connection=${connection._id}`;
  try {
    const { id } = await host.ensureWebhook({ url, secret });
    const webhook = { id, secret: app.secrets.seal(secret, connection._id) };
    if (!(await app.storage.connections.setWebhook(connection._id, webhook))) await host.removeWebhook?.(id);
  } catch (error) {
    await app.storage.connections.retryWebhook(connection._id, new Date(app.now().getTime() + retryMs));
    app.log.warn({ error, connection: connection._id }, "no webhook: the branch is looked at instead");
  }
}

/** Whether it is time to ask again. */
export function isCallDue(app: App, { webhook, webhookAt }: ConnectionDoc): boolean {
  return webhook === undefined && (webhookAt === undefined || webhookAt <= app.now());
}
