/** Webhooks that the service disables, about which the owners of the organization get a mail. */
import type { WebhookDisabling } from "../../../contract/events/webhook-events.ts";
import type { WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { App } from "../../app.ts";
import { makeSystemEvent, publishEvents } from "../../audit/events.ts";
import { mailOwners } from "../owner-mails.ts";

/** Disables an enabled webhook. Its pending messages wait until someone enables it again. */
export async function disableWebhook(
  app: App,
  { _id, tenantId, name, host }: WebhookDoc,
  reason: WebhookDisabling,
): Promise<void> {
  const event = makeSystemEvent(app, "organization.webhook_disabled", {
    tenantId,
    resourceType: "webhook",
    resourceId: _id,
    metadata: { name, host, reason },
  });
  const disabled = await app.storage.webhooks.change(_id, {
    when: { enabled: true },
    set: { enabled: false, disabled: { reason, at: app.now() }, noticeDue: true },
    now: app.now(),
    events: [event],
  });
  if (!disabled) return;
  app.log.warn({ webhookId: _id, tenantId, reason }, "a webhook was disabled");
  await mailOwnersOnce(app, disabled);
  await publishEvents(app, app.storage.webhooks, _id, [event]);
}

/** Sentence about a disabled webhook; undefined for one that the service has not disabled. */
export function disabledText({ name, host, disabled, error }: WebhookDoc): string | undefined {
  if (!disabled) return undefined;
  const reason = error === undefined ? "" : ` (${error.replace(/\.$/, "")})`;
  const why =
    disabled.reason === "gone"
      ? "its receiver responded with status 410 (gone)"
      : `its receiver has accepted no message for three days${reason}`;
  return `The webhook "${name}" to ${host} was disabled: ${why}.`;
}

/** Mails the owners if that is due. The reconcile job repeats it after a crash, which may send a mail twice. */
export async function mailOwnersOnce(app: App, webhook: WebhookDoc): Promise<void> {
  const text = disabledText(webhook);
  if (!webhook.noticeDue || text === undefined) return;
  const tenant = await app.storage.tenants.find(webhook.tenantId);
  if (tenant)
    await mailOwners(app, tenant._id, "webhook-disabled", {
      id: app.newId(),
      organization: { slug: tenant.slug, text },
    });
  await app.storage.webhooks.clearNotice(webhook._id);
}
