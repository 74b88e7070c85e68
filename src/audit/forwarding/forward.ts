/**
 * Sends the entries of an organization's audit log to its receiver: at least once, and in order, since one process at
 * a time delivers and a message that fails is repeated before the next one.
 */
import { limits } from "../../../contract/limits.ts";
import { RepoError } from "../../../repos/errors.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { TenantDoc } from "../../../storage/tenants.ts";
import type { App } from "../../app.ts";
import { sendSigned } from "../../webhooks/send.ts";
import { presentAuditEntry } from "../log.ts";
import { forwardSoon } from "./forward-soon.ts";
import { sendSyslog } from "./syslog.ts";

/** Longer than a message takes, whose limits of time are below. */
const leaseMs = 60_000;
/** Time after which other organizations get their turn. */
const turnMs = 30_000;
/** Pauses after the first failures; then the last one. */
const pausesMs = [5, 30, 120, 600, 1800, 3600].map((seconds) => seconds * 1000);

type Target = NonNullable<TenantDoc["auditForwarding"]>;

export const secretRecord = (tenantId: string) => `audit-forwarding:${tenantId}`;

/** Delivers what waits, for at most half a minute. */
export async function forwardAuditLog(app: App, tenantId: string): Promise<void> {
  const { auditEvents, auditForwardings, tenants } = app.storage;
  const target = (await tenants.find(tenantId))?.auditForwarding;
  if (!target) {
    await auditEvents.stopForwarding(tenantId);
    return;
  }
  const lease = app.newId();
  const until = () => new Date(app.now().getTime() + leaseMs);
  const state = await auditForwardings.begin(tenantId, lease, app.now(), until());
  if (!state) return forwardSoon(app, tenantId, leaseMs);
  try {
    const waitMs = (state.nextAttemptAt?.getTime() ?? 0) - app.now().getTime();
    if (waitMs > 0) return await forwardSoon(app, tenantId, waitMs);
    const end = performance.now() + turnMs;
    for (;;) {
      const rows = await auditEvents.listForwarding(tenantId, limits.auditForwardingBatch);
      if (rows.length === 0) return;
      await deliver(app, { tenantId, target }, rows);
      await auditEvents.noteForwarded(rows.map(({ _id }) => _id));
      if (!(await auditForwardings.noteDelivery(tenantId, lease, app.now(), until()))) return;
      if (performance.now() > end) return await forwardSoon(app, tenantId, 0);
    }
  } catch (error) {
    const pauseMs = pausesMs[Math.min(state.failures ?? 0, pausesMs.length - 1)]!;
    const nextAttemptAt = new Date(app.now().getTime() + pauseMs);
    await auditForwardings.noteFailure(tenantId, lease, {
      error: reasonOf(error),
      now: app.now(),
      nextAttemptAt,
    });
    app.log.warn({ error, tenantId }, "an audit log could not be sent to its receiver");
    await forwardSoon(app, tenantId, pauseMs);
  } finally {
    await auditForwardings.end(tenantId, lease);
  }
}

/** What the job queue has lost: after ten minutes, everything that waits has a job again. */
export async function queueForwarding(app: App): Promise<void> {
  for await (const { _id } of app.storage.tenants.eachForwarding()) await forwardSoon(app, _id);
}

interface Addressed {
  tenantId: string;
  target: Target;
}

/** Throws if the receiver did not take all of the entries. */
export async function deliver(
  app: App,
  { tenantId, target }: Addressed,
  rows: readonly EventRow[],
): Promise<void> {
  const entries = rows.map(presentAuditEntry);
  const { webhookPrivateNetwork: privateNetwork, baseUrl } = app.config;
  const service = new URL(baseUrl).hostname;
  if (target.sealedSecret === undefined) {
    await sendSyslog(target.url, { service, entries, privateNetwork });
    return;
  }
  const secret = app.secrets.open(target.sealedSecret, secretRecord(tenantId));
  const sentAt = app.now();
  await sendSigned(
    { url: target.url, secret, privateNetwork },
    {
      id: `audit_${rows[0]?._id ?? "test"}_${rows.length}`,
      body: JSON.stringify({
        type: "audit.entries",
        timestamp: sentAt.toISOString(),
        data: { tenantId, entries },
      }),
      sentAt,
    },
  );
}

/** For the organization's owners: without text of the receiver. */
export function reasonOf(error: unknown): string {
  if (error instanceof RepoError) return `${error.message}.`;
  const isOurs = error instanceof Error && error.message.startsWith("The receiver");
  return isOurs ? error.message : "The receiver could not be reached.";
}
