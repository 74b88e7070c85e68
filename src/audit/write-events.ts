import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { occurrenceOf, recordMessages } from "../webhooks/record-messages.ts";
import { forwardSoon } from "./forwarding/forward-soon.ts";

/**
 * Writes entries into the logs that they name; in those of organizations with a receiver, they wait to be sent to it.
 * Those that webhooks report become messages first. The only writer of logs. May run twice.
 */
export async function writeEvents(app: App, rows: readonly EventRow[]): Promise<void> {
  const tenantIds = new Set(rows.flatMap(({ tenantId }) => tenantId ?? []));
  const [forwarding] = await Promise.all([
    app.storage.tenants.listForwarding([...tenantIds]),
    recordMessages(app, rows.flatMap(occurrenceOf)),
  ]);
  const forwarded = new Set(forwarding);
  await app.storage.auditEvents.record(
    rows.map((row) => (forwarded.has(row.tenantId ?? "") ? { ...row, forwarding: true } : row)),
  );
  for (const tenantId of forwarded) app.background("forward an audit log", () => forwardSoon(app, tenantId));
}
