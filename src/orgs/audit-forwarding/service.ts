/** The receiver of an organization's audit log, for callers with the permission `security:manage`. */
import { limits } from "../../../contract/limits.ts";
import type { AuditForwardingSettingPayload } from "../../../contract/payloads/organizations/audit.ts";
import { mayBeUnencrypted } from "../../../repos/transport/connections.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { deliver, secretRecord } from "../../audit/forwarding/deliver.ts";
import { forwardSoon } from "../../audit/forwarding/forward-soon.ts";
import { ServiceError, invalidRequest, notFound } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { failureText, newWebhookSecret } from "../../webhooks/send.ts";
import { propagateTenantSoon } from "../propagate.ts";
import { loadTenant } from "../service.ts";
import type { AuditForwarding } from "./schema.ts";

const load = (app: App, actor: Actor, ref: string) => loadTenant(app, actor, ref, "security:manage");

export async function readForwarding(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<AuditForwardingSettingPayload> {
  return present(app, await load(app, actor, tenantRef));
}

/**
 * Sets the receiver, to which entries are sent from now on, and what still waits for a previous one. Throws
 * `reauthentication_required`.
 */
export async function setForwarding(
  app: App,
  actor: Actor,
  tenantRef: string,
  { url: given, newSecret }: AuditForwarding,
): Promise<AuditForwardingSettingPayload> {
  const tenant = await load(app, actor, tenantRef);
  requireRecentVerification(app, requireUser(actor), "change where the audit log is sent", tenant._id);
  // Without the white space and the upper case that a parser of addresses takes away.
  const url = new URL(given).href;
  if (url.startsWith("http:") && !app.config.webhookPrivateNetwork && !mayBeUnencrypted(new URL(url)))
    throw invalidRequest("The receiver must be https://…, or syslog+tls://host:port.");
  const previous = tenant.auditForwarding;
  const isWebhook = url.startsWith("http");
  const kept = previous?.url === url && !newSecret ? previous.sealedSecret : undefined;
  if (previous?.url === url && (!isWebhook || kept !== undefined)) return present(app, tenant);
  const secret = isWebhook && kept === undefined ? newWebhookSecret() : undefined;
  const auditForwarding = {
    url,
    since: previous?.since ?? app.now(),
    ...(secret !== undefined && { sealedSecret: app.secrets.seal(secret, secretRecord(tenant._id)) }),
  };
  const updated = await change(app, actor, tenant, auditForwarding);
  await app.storage.auditForwardings.retry(tenant._id);
  await forwardSoon(app, tenant._id, 0);
  return present(app, updated, secret);
}

/** Entries that wait are not sent any more. */
export async function endForwarding(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<AuditForwardingSettingPayload> {
  const tenant = await load(app, actor, tenantRef);
  if (!tenant.auditForwarding) return present(app, tenant);
  requireRecentVerification(app, requireUser(actor), "change where the audit log is sent", tenant._id);
  const updated = await change(app, actor, tenant, null);
  await app.storage.auditForwardings.remove(tenant._id);
  await forwardSoon(app, tenant._id, 0);
  return present(app, updated);
}

/** Sends a message without entries now, and what waits if the receiver takes it. Throws `refused` with the reason. */
export async function testForwarding(app: App, actor: Actor, tenantRef: string): Promise<void> {
  const tenant = await load(app, actor, tenantRef);
  const target = tenant.auditForwarding;
  if (!target) throw new ServiceError("refused", "The audit log has no receiver.");
  try {
    await deliver(app, { tenantId: tenant._id, target }, []);
  } catch (error) {
    throw new ServiceError("refused", failureText(error));
  }
  await app.storage.auditForwardings.retry(tenant._id);
  await forwardSoon(app, tenant._id, 0);
}

async function change(
  app: App,
  actor: Actor,
  { _id, slug }: TenantDoc,
  auditForwarding: TenantDoc["auditForwarding"] | null,
): Promise<TenantDoc> {
  const event = makeEvent(app, actor, "organization.audit_forwarding_changed", {
    tenantId: _id,
    resourceType: "organization",
    resourceId: _id,
    metadata: auditForwarding ? { host: new URL(auditForwarding.url).host } : { ended: true },
  });
  const updated = await app.storage.tenants.change(_id, {
    patch: { auditForwarding },
    now: app.now(),
    events: [event],
  });
  if (!updated) throw notFound("organization", slug);
  await propagateTenantSoon(app, updated, [event]);
  return updated;
}

async function present(
  app: App,
  { _id, auditForwarding }: TenantDoc,
  secret: string | null = null,
): Promise<AuditForwardingSettingPayload> {
  if (!auditForwarding) return { forwarding: null, secret: null };
  const { auditEvents, auditForwardings } = app.storage;
  const [state, waiting, [oldest]] = await Promise.all([
    auditForwardings.find(_id),
    auditEvents.countForwarding(_id, limits.auditPagedEntries),
    auditEvents.listForwarding(_id, 1),
  ]);
  return {
    forwarding: {
      url: auditForwarding.url,
      since: auditForwarding.since.toISOString(),
      state: state?.failingSince ? "failing" : "working",
      deliveredAt: state?.deliveredAt?.toISOString() ?? null,
      waiting,
      oldestAt: oldest?.createdAt.toISOString() ?? null,
      error: state?.error ?? null,
      nextAttemptAt: state?.nextAttemptAt?.toISOString() ?? null,
    },
    secret,
  };
}
