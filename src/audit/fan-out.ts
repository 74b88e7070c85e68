/**
 * Events that more than one log shows. What a person does with their own account belongs to their own log, and to the
 * log of every organization that they are a member of at that time. Each organization gets an entry of its own, whose
 * id follows from the event's, so that recording an event again adds nothing. An organization that the person joins
 * later gets none.
 */
import type { EventName } from "../../contract/vocabulary.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { writeEvents } from "./write-events.ts";

/** The service's own log is stored like that of an organization, under an id that no organization can have. */
export const serviceLog = { tenantId: "service" } as const;

/** Whether the service's administrators read an event as well. */
const isForService = ({ name, metadata }: EventRow): boolean =>
  name === "user.anonymous_registered" ||
  (name === "skill.scan_overridden" && metadata.byAdministrator === true);

/**
 * Metadata of a personal event that an organization may see. Anything else stays in the person's own log: it may be
 * about other organizations, or about the account alone. Folder ids are narrowed to the organization's own.
 */
const sharedMetadata: Partial<Record<EventName, readonly string[]>> = {
  "user.token_created": ["name", "scopes", "allowedFolderIds", "expiresAt"],
  "user.token_deleted": ["name", "by"],
  "user.cli_login": ["name"],
  "user.grant_created": ["client", "access"],
  "user.grant_revoked": ["client", "by"],
  "user.profile_updated": ["changed"],
};

/** Writes events to every log that shows them. May run twice. */
export async function recordEvents(app: App, events: readonly EventRow[]): Promise<void> {
  const copies = await Promise.all(events.map((event) => copiesOf(app, event)));
  await writeEvents(app, [...events, ...copies.flat()]);
}

async function copiesOf(app: App, event: EventRow): Promise<EventRow[]> {
  if (isForService(event)) return [copyFor(event, serviceLog.tenantId, event.metadata)];
  if (event.userId === undefined || event.tenantId !== undefined) return [];
  const tenantIds = await app.storage.memberships.listTenantsAt(event.userId, event.createdAt);
  if (tenantIds.length === 0) return [];
  const shared = sharedPart(event);
  const tenantOf = await tenantsOfFolders(app, shared["allowedFolderIds"]);
  return tenantIds.map((tenantId) => copyFor(event, tenantId, narrowed(shared, tenantId, tenantOf)));
}

function copyFor(event: EventRow, tenantId: string, metadata: EventRow["metadata"]): EventRow {
  const { userId: _ownLog, ...rest } = event;
  return { ...rest, _id: `${event._id}.${tenantId}`, tenantId, metadata };
}

function sharedPart({ name, metadata }: EventRow): EventRow["metadata"] {
  const keys = sharedMetadata[name] ?? [];
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => keys.includes(key)));
}

async function tenantsOfFolders(app: App, ids: unknown): Promise<ReadonlyMap<string, string>> {
  if (!Array.isArray(ids)) return new Map();
  const folders = await app.storage.folders.listByIds(ids.map(String));
  return new Map(folders.map(({ _id, tenantId }) => [_id, tenantId]));
}

function narrowed(
  metadata: EventRow["metadata"],
  tenantId: string,
  tenantOf: ReadonlyMap<string, string>,
): EventRow["metadata"] {
  const ids = metadata["allowedFolderIds"];
  if (!Array.isArray(ids)) return metadata;
  return { ...metadata, allowedFolderIds: ids.filter((id) => tenantOf.get(String(id)) === tenantId) };
}
