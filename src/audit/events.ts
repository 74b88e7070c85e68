/**
 * Audit events: created with a change, stored in the same write (`storage/outbox.ts`) and published to the log right
 * after, or by the reconcile job if the process crashed in between.
 */
import type { EventName } from "../../contract/vocabulary.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { recordEvents } from "./fan-out.ts";

export interface EventSubject {
  tenantId?: string;
  resourceType:
    | "skill"
    | "version"
    | "collection"
    | "folder"
    | "token"
    | "grant"
    | "policy"
    | "domain"
    | "mcpServer"
    | "provider"
    | "connector"
    | "user"
    | "organization"
    | "invitation"
    | "team"
    | "role"
    | "workspace"
    | "webhook"
    | "repository"
    | "service"
    | "queue"
    | "job";
  resourceId: string;
  metadata?: Record<string, unknown>;
}

/**
 * An event by an actor. It is shown in the log of the named organization, and always in the actor's own. An event of a
 * user without an organization is shown in the logs of all organizations of the user (`fan-out.ts`).
 */
export function makeEvent(app: App, actor: Actor, name: EventName, subject: EventSubject): EventRow {
  return {
    _id: app.newId(),
    name,
    tenantId: subject.tenantId,
    userId: actor.kind === "user" ? actor.userId : undefined,
    actor: eventActor(actor),
    resourceType: subject.resourceType,
    resourceId: subject.resourceId,
    metadata: subject.metadata ?? {},
    ipHash: actor.origin.ipHash,
    createdAt: app.now(),
  };
}

export function eventActor(actor: Actor): EventRow["actor"] {
  if (actor.kind === "user") return { type: "user", id: actor.userId, name: actor.username };
  if (actor.kind === "organization")
    return { type: "organization", id: actor.tokenId, name: actor.tokenName };
  if (actor.kind === "anonymous-key")
    return { type: "anonymous", id: actor.identityId, name: actor.username };
  // The entry names who pushed; the member who connected the repository did not do it.
  if (actor.kind === "sync") return { type: "system", id: null, name: "repository sync" };
  return { type: "anonymous", id: null, name: "anonymous" };
}

/** An event of the service itself, such as a job's, in an organization's log. */
export function makeSystemEvent(
  app: Pick<App, "newId" | "now">,
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

/** A collection whose documents have an outbox of events. */
export interface OutboxCollection {
  clearOutbox(id: string, eventIds: string[]): Promise<void>;
}

/** Publishes a document's events to the log and clears them from its outbox, without delaying the response. */
export function flushEvents(
  app: App,
  collection: OutboxCollection,
  documentId: string,
  events: EventRow[],
): void {
  app.background("publish audit events", () => publishEvents(app, collection, documentId, events));
}

/**
 * Like `flushEvents`, but awaited: for the reconcile job, and if the events must be in the log before the next step.
 */
export async function publishEvents(
  app: App,
  collection: OutboxCollection,
  documentId: string,
  events: EventRow[],
): Promise<void> {
  await recordEvents(app, events);
  await collection.clearOutbox(
    documentId,
    events.map((event) => event._id),
  );
}
