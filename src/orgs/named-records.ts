/**
 * Creation and renaming of the records that an organization names: roles, teams, trust policies and identity providers.
 */
import type { ChangeById } from "../../storage/change.ts";
import { isDuplicate } from "../../storage/database.ts";
import type { NamedDoc } from "../../storage/named.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, type OutboxCollection } from "../audit/events.ts";
import { hasAll } from "../audit/unchanged.ts";
import { ServiceError } from "../errors.ts";
import { foldName } from "../users/schema.ts";

type Kind = "role" | "team" | "policy" | "provider" | "collection" | "webhook";

/** Throws `limit_reached` if an organization has as many records as it may have. */
export function requireFreeSlot(kind: Kind, count: number, limit: number): void {
  if (count < limit) return;
  throw new ServiceError("limit_reached", `An organization has at most ${limit} ${kind}s.`, { limit });
}

/** The common fields of a new record; `event` records its creation, so that its subject is the record. */
export function newRecord(app: App, actor: Actor, name: string, event: EventRow) {
  const now = app.now();
  return {
    _id: event.resourceId,
    tenantId: event.tenantId!,
    name,
    nameKey: foldName(name),
    revision: 0,
    active: true,
    createdBy: actorId(actor),
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  } as const;
}

/** Inserts a record and publishes its event. Throws `already_exists` if the name is taken. */
export async function insertRecord<T extends NamedDoc>(
  app: App,
  kind: Kind,
  collection: OutboxCollection & { insert(record: T): Promise<void> },
  record: T,
): Promise<T> {
  try {
    await collection.insert(record);
  } catch (error) {
    throw nameTaken(error, kind, record.name);
  }
  flushEvents(app, collection, record._id, record.outbox ?? []);
  return record;
}

/** Updates a record as it was read, unless that changes nothing. Throws `already_exists` or `conflict`. */
export async function updateRecord<T extends NamedDoc, F extends Partial<T>>(
  app: App,
  kind: Kind,
  collection: OutboxCollection & { change: ChangeById<T> },
  record: T,
  fields: F,
  event: EventRow,
  unset?: readonly string[],
): Promise<T> {
  if (hasAll(record, fields)) return record;
  let updated: T | null;
  try {
    updated = await collection.change(record._id, {
      revision: record.revision,
      set: fields,
      unset,
      now: app.now(),
      events: [event],
    });
  } catch (error) {
    throw nameTaken(error, kind, fields.name ?? record.name);
  }
  if (!updated)
    throw new ServiceError("conflict", `This ${kind} was changed concurrently: read it again, then retry.`, {
      kind,
      ref: record._id,
    });
  flushEvents(app, collection, record._id, [event]);
  return updated;
}

function nameTaken(error: unknown, kind: Kind, name: string): unknown {
  if (!isDuplicate(error, `${kind}_name`)) return error;
  return new ServiceError(
    "already_exists",
    `There is a ${kind} "${name}" already: choose another name.`,
    { kind, ref: name },
    { cause: error },
  );
}
