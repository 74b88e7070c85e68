/** Reads the audit log. The callers check the access to it. */
import { limits } from "../../contract/limits.ts";
import type { AuditEntryPayload, AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import { eventNames, type EventName } from "../../contract/vocabulary.ts";
import type { AuditQuery } from "../../storage/audit/events.ts";
import { isId } from "../../storage/database.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { invalidRequest } from "../errors.ts";
import type { AuditFilters, AuditLogQuery } from "./schema.ts";

const dayMs = 86_400_000;

/** A page of a log, newest first. Throws `invalid_request` for an unknown action, and beyond the pages of a log. */
export async function readAuditLog(
  app: App,
  log: AuditQuery["log"],
  input: AuditLogQuery,
): Promise<AuditLogPayload> {
  const { page, limit } = input;
  const skip = (page - 1) * limit;
  const most = limits.auditPagedEntries;
  if (skip >= most)
    throw invalidRequest(`A log is paged through its first ${most} entries: go on from there with "to".`);
  const query = await auditQuery(app, log, input);
  const { auditEvents } = app.storage;
  const [rows, counted] = await Promise.all([
    auditEvents.list(query, skip, limit),
    auditEvents.count(query, most + 1),
  ]);
  return {
    entries: rows.map(presentAuditEntry),
    total: Math.min(counted, most),
    totalIsExact: counted <= most,
    page,
  };
}

/** The query for some filters. It excludes events older than the retention, also before they are purged. */
export async function auditQuery(app: App, log: AuditQuery["log"], input: AuditFilters): Promise<AuditQuery> {
  const oldest = new Date(app.now().getTime() - limits.auditRetentionDays * dayMs);
  const { from, to, action, actor, resource_id: resourceId } = input;
  if (from && to && from >= to) throw invalidRequest('"from" must be earlier than "to".');
  return {
    log,
    from: from && from > oldest ? from : oldest,
    to,
    names: action === undefined ? undefined : eventsNamed(action),
    actor: actor === undefined ? undefined : await actorsCalled(app, actor),
    resourceId,
  };
}

/** `skill.created,folder.*` as the names of events. Throws `invalid_request` for what names none. */
function eventsNamed(text: string): EventName[] {
  const named = text.split(",").flatMap((part) => {
    const name = part.trim();
    const found = eventNames.filter((event) =>
      name.endsWith(".*") ? event.startsWith(name.slice(0, -1)) : event === name,
    );
    if (found.length === 0) throw invalidRequest(`No event is called "${name.slice(0, 100)}".`);
    return found;
  });
  return [...new Set(named)];
}

/** By id; or by user name: the account that has the name now, and every entry that was written under it. */
async function actorsCalled(app: App, text: string): Promise<{ ids: string[]; names: string[] }> {
  const name = text.trim();
  const folded = name.normalize("NFKC").toLowerCase();
  const userId = await app.storage.users.findIdByUsername(folded);
  const ids = [...(isId(name) ? [name] : []), ...(userId === undefined ? [] : [userId])];
  return { ids, names: [...new Set([name, folded])] };
}

export function presentAuditEntry(event: EventRow): AuditEntryPayload {
  return {
    id: event._id,
    action: event.name,
    actor: event.actor,
    resourceType: event.resourceType,
    resourceId: event.resourceId,
    metadata: event.metadata,
    ip: event.ipHash,
    createdAt: event.createdAt.toISOString(),
  };
}
