/** One message to the receiver of an audit log. */
import { RepoError } from "../../../repos/errors.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { TenantDoc } from "../../../storage/tenants.ts";
import type { App } from "../../app.ts";
import { ReceiverError, sendSigned } from "../../webhooks/send.ts";
import { presentAuditEntry } from "../log.ts";
import { sendSyslog } from "./syslog.ts";

export interface Receiver {
  tenantId: string;
  target: NonNullable<TenantDoc["auditForwarding"]>;
}

export const secretRecord = (tenantId: string) => `audit-forwarding:${tenantId}`;

/** Throws if the receiver did not take all of the entries within ten seconds. */
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

/** The reason of a failed delivery as a sentence, without text of the receiver. */
export function failureText(error: unknown): string {
  if (error instanceof RepoError) return `Delivery failed: ${error.message}.`;
  return error instanceof ReceiverError ? error.message : "The message could not be sent.";
}
