/** Webhooks of an organization, for callers with the permission `security:manage`. */
import { limits } from "../../../contract/limits.ts";
import { assertPublicHost } from "../../../repos/transport/address.ts";
import { mayBeUnencrypted } from "../../../repos/transport/connections.ts";
import { isDuplicate, isId } from "../../../storage/database.ts";
import { disablingFields, type WebhookDoc } from "../../../storage/webhooks/webhooks.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { invalidRequest, notFound, ServiceError } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { foldName } from "../../users/schema.ts";
import { deliverSoon, retryAfter } from "../../webhooks/deliver-soon.ts";
import { newWebhookSecret } from "../../webhooks/send.ts";
import { insertRecord, newRecord, updateRecord } from "../named-records.ts";
import { loadTenant } from "../service.ts";
import type { CreateWebhook, UpdateWebhook } from "./schema.ts";
import { openUrl, sealSecret, sealUrl } from "./target.ts";

export interface WithSecret {
  webhook: WebhookDoc;
  /** Shown once; null if messages are not signed. */
  secret: string | null;
}

/** All webhooks, oldest first: there are at most `limits.webhooksPerOrganization`. */
export async function listWebhooks(app: App, actor: Actor, tenantRef: string): Promise<WebhookDoc[]> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "security:manage");
  return app.storage.webhooks.list(tenantId);
}

export async function loadWebhook(
  app: App,
  actor: Actor,
  { tenant, webhook: id }: { tenant: string; webhook: string },
): Promise<WebhookDoc> {
  const { _id: tenantId } = await loadTenant(app, actor, tenant, "security:manage");
  const webhook = isId(id) ? await app.storage.webhooks.find(tenantId, id) : null;
  if (!webhook) throw notFound("webhook", id);
  return webhook;
}

/** Throws `already_exists`, `limit_reached`, `invalid_request` for an address, or `reauthentication_required`. */
export async function createWebhook(
  app: App,
  actor: Actor,
  tenantRef: string,
  { name, url: given, kind, events }: CreateWebhook,
): Promise<WithSecret> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "security:manage");
  requireVerified(app, actor, tenantId);
  const url = readUrl(app, given);
  const id = app.newId();
  const secret = kind === "standard" ? newWebhookSecret() : null;
  const address = sealUrl(app, id, url);
  const event = makeEvent(app, actor, "organization.webhook_created", {
    tenantId,
    resourceType: "webhook",
    resourceId: id,
    metadata: { name, kind, host: address.host, events },
  });
  const record = {
    ...newRecord(app, actor, name, event),
    ...address,
    kind,
    events,
    enabled: true,
    secret: secret === null ? undefined : sealSecret(app, id, secret),
  };
  for (;;) {
    const slot = await freeSlot(app, tenantId);
    try {
      const { webhooks } = app.storage;
      return {
        webhook: await insertRecord<WebhookDoc>(app, "webhook", webhooks, { ...record, slot }),
        secret,
      };
    } catch (error) {
      // A concurrent call took this slot; each round finds at least one more slot in use, so the loop ends.
      if (!isDuplicate(error, "webhook_slot")) throw error;
    }
  }
}

async function freeSlot(app: App, tenantId: string): Promise<number> {
  const limit = limits.webhooksPerOrganization;
  const taken = new Set((await app.storage.webhooks.list(tenantId)).map(({ slot }) => slot));
  const slot = Array.from({ length: limit }, (_, at) => at).find((at) => !taken.has(at));
  if (slot !== undefined) return slot;
  const message = `The organization has ${limit} webhooks, which is the limit: delete one first.`;
  throw new ServiceError("limit_reached", message, { kind: "webhook", limit });
}

/** Throws what `createWebhook` throws, and `conflict` after a concurrent change. */
export async function updateWebhook(
  app: App,
  actor: Actor,
  ref: { tenant: string; webhook: string },
  { name, url: given, events, enabled }: UpdateWebhook,
): Promise<WebhookDoc> {
  const webhook = await loadWebhook(app, actor, ref);
  requireVerified(app, actor, webhook.tenantId);
  const url = given === undefined ? undefined : readUrl(app, given);
  const isMoved = url !== undefined && url !== openUrl(app, webhook);
  const address = isMoved ? sealUrl(app, webhook._id, url) : undefined;
  const fields = { name, events, enabled, ...address, nameKey: name && foldName(name) };
  const event = makeEvent(app, actor, "organization.webhook_updated", {
    tenantId: webhook.tenantId,
    resourceType: "webhook",
    resourceId: webhook._id,
    metadata: { name: webhook.name, changed: { name, events, enabled, host: address?.host } },
  });
  const isEnabled = enabled === true && !webhook.enabled;
  const unset = isEnabled ? disablingFields : undefined;
  const updated = await updateRecord(app, "webhook", app.storage.webhooks, webhook, fields, event, unset);
  if (!isEnabled) return updated;
  await app.storage.webhookMessages.hasten(webhook._id, app.now());
  await deliverSoon(app, updated);
  return updated;
}

/** Replaces the secret; messages are signed by both for a day. Throws `refused` for a chat, and `conflict`. */
export async function rotateSecret(
  app: App,
  actor: Actor,
  ref: { tenant: string; webhook: string },
): Promise<WithSecret> {
  const webhook = await loadWebhook(app, actor, ref);
  if (!webhook.secret)
    throw new ServiceError("refused", "Messages to a chat are not signed: there is no secret.");
  requireVerified(app, actor, webhook.tenantId);
  const secret = newWebhookSecret();
  const until = new Date(app.now().getTime() + limits.webhookSecretOverlapMs);
  const event = makeEvent(app, actor, "organization.webhook_updated", {
    tenantId: webhook.tenantId,
    resourceType: "webhook",
    resourceId: webhook._id,
    metadata: { name: webhook.name, changed: { secret: true } },
  });
  const fields = {
    secret: sealSecret(app, webhook._id, secret),
    previousSecret: { ...webhook.secret, until },
  };
  return {
    webhook: await updateRecord(app, "webhook", app.storage.webhooks, webhook, fields, event),
    secret,
  };
}

/**
 * Deletes a webhook with its messages; those that are pending are not sent any more. Throws
 * `reauthentication_required`.
 */
export async function deleteWebhook(
  app: App,
  actor: Actor,
  ref: { tenant: string; webhook: string },
): Promise<void> {
  const { _id, tenantId, name, host } = await loadWebhook(app, actor, ref);
  requireVerified(app, actor, tenantId);
  const event = makeEvent(app, actor, "organization.webhook_deleted", {
    tenantId,
    resourceType: "webhook",
    resourceId: _id,
    metadata: { name, host },
  });
  const { webhooks } = app.storage;
  if (!(await webhooks.markRemoved(_id, app.now(), [event]))) throw notFound("webhook", _id);
  flushEvents(app, webhooks, _id, [event]);
  // Which removes the messages of a deleted webhook.
  await retryAfter(app, _id, 0);
}

const requireVerified = (app: App, actor: Actor, tenantId: string) =>
  requireRecentVerification(app, requireUser(actor), "change where events are sent", tenantId);

/** Without the white space and the upper case that a parser of addresses takes away. Throws `invalid_request`. */
function readUrl(app: App, given: string): string {
  const url = new URL(given);
  const { href, protocol, hostname } = url;
  if (app.config.webhookPrivateNetwork) return href;
  if (protocol === "http:" && !mayBeUnencrypted(url)) throw invalidRequest("The address must be https://….");
  try {
    assertPublicHost(hostname);
  } catch (error) {
    throw new ServiceError(
      "invalid_request",
      "The address leads to this machine or a private network: use a public one.",
      undefined,
      { cause: error },
    );
  }
  return href;
}
