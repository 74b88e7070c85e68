/**
 * Audit events: made beside a change, stored in the same write (`storage/outbox.ts`), carried to the log by
 * `settle` right after, or by the reconcile job when the process stopped in between.
 */
import type { EventName } from "../../contract/vocabulary.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";

export interface EventSubject {
  tenantId?: string;
  resourceType:
    | "skill"
    | "version"
    | "folder"
    | "token"
    | "user"
    | "organization"
    | "invitation"
    | "team"
    | "role"
    | "workspace"
    | "repository"
    | "queue"
    | "job";
  resourceId: string;
  metadata?: Record<string, unknown>;
}

/** An event by an actor. It joins the organization's log where one is named, and always the actor's own. */
export function makeEvent(app: App, actor: Actor, name: EventName, subject: EventSubject): EventRow {
  return {
    _id: app.newId(),
    name,
    ...(subject.tenantId === undefined ? {} : { tenantId: subject.tenantId }),
    ...(actor.kind === "user" ? { userId: actor.userId } : {}),
    actor: eventActor(actor),
    resourceType: subject.resourceType,
    resourceId: subject.resourceId,
    metadata: subject.metadata ?? {},
    ...(actor.origin.ipHash === undefined ? {} : { ipHash: actor.origin.ipHash }),
    createdAt: app.now(),
  };
}

function eventActor(actor: Actor): EventRow["actor"] {
  if (actor.kind === "user") return { type: "user", id: actor.userId, name: actor.username };
  if (actor.kind === "organization")
    return { type: "organization", id: actor.tokenId, name: actor.tokenName };
  if (actor.kind === "anonymous-key")
    return { type: "anonymous", id: actor.identityId, name: actor.username };
  // Who pushed is in the entry; the member who connected did not do it.
  if (actor.kind === "sync") return { type: "system", id: null, name: "repository sync" };
  return { type: "anonymous", id: null, name: "anonymous" };
}

/** An event of the service's own doing, such as a job's, in an organization's log. */
export function makeSystemEvent(
  app: App,
  name: EventName,
  subject: EventSubject & { tenantId: string },
): EventRow {
  return {
    _id: app.newId(),
    name,
    tenantId: subject.tenantId,
    actor: { type: "system", id: null, name: "service" },
    resourceType: subject.resourceType,
    resourceId: subject.resourceId,
    metadata: subject.metadata ?? {},
    createdAt: app.now(),
  };
}

/** A collection whose documents carry events. */
export interface SettlingCollection {
  settle(id: string, eventIds: string[]): Promise<void>;
}

/** Carries a document's events to the log and takes them off it, without holding up the answer. */
export function settleEvents(
  app: App,
  collection: SettlingCollection,
  documentId: string,
  events: EventRow[],
): void {
  app.background("settle audit events", () => carryEvents(app, collection, documentId, events));
}

/** The same, awaited: what the reconcile job does with a document that was left unsettled. */
export async function carryEvents(
  app: App,
  collection: SettlingCollection,
  documentId: string,
  events: EventRow[],
): Promise<void> {
  await app.storage.auditEvents.record(events);
  await collection.settle(
    documentId,
    events.map((event) => event._id),
  );
}
