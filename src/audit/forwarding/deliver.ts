/** One message to the receiver of an audit log. */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { App } from "../../app.ts";
import { sendSigned } from "../../webhooks/send.ts";
import { presentAuditEntry } from "../log.ts";
import { sendSyslog } from "./syslog.ts";

export interface Receiver {
  tenantId: string;
  target: NonNullable<TenantDoc["auditForwarding"]>;
}

export const secretRecord = (tenantId: string) => `audit-forwarding:${tenantId}`;

/** Throws if the receiver did not take all of the entries within 15 seconds. */
export async function deliver(
  app: App,
  { tenantId, target }: Receiver,
  rows: readonly EventRow[],
): Promise<void> {
  const entries = rows.map(presentAuditEntry);
  const { webhookPrivateNetwork: privateNetwork, baseUrl } = app.config;
  if (target.sealedSecret === undefined) {
    await sendSyslog(target.url, { service: new URL(baseUrl).hostname, entries, privateNetwork });
    return;
  }
  const secret = app.secrets.open(target.sealedSecret, secretRecord(tenantId));
  const sentAt = app.now();
  await sendSigned(
    { url: target.url, secret, privateNetwork },
    {
      id: `audit_${rows[0]?._id ?? app.newId()}_${rows.length}`,
      body: JSON.stringify({
        type: "audit.entries",
        timestamp: sentAt.toISOString(),
        data: { tenantId, entries },
      }),
      sentAt,
    },
  );
}
