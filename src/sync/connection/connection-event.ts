/** Audit events of actions on a connection. All of them name the repository and the branch. */
import type { EventName } from "../../../contract/vocabulary.ts";
import type { ConnectionDoc, RequestCause } from "../../../storage/connections/connections.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";

/** A sync that a person asks for: its history names them. */
export function causeBy(actor: Actor, kind: "connected" | "manual" | "settings"): RequestCause {
  return actor.kind === "user" ? { kind, by: { userId: actor.userId, username: actor.username } } : { kind };
}

type ConnectionFacts = Pick<ConnectionDoc, "_id" | "tenantId" | "branch"> & {
  host: Pick<ConnectionDoc["host"], "kind" | "fullName">;
};

/** `more`: additional metadata. */
export function makeConnectionEvent(
  app: App,
  actor: Actor,
  name: Extract<EventName, `repohost_sync.${string}`>,
  { _id, tenantId, host, branch }: ConnectionFacts,
  more: Record<string, unknown> = {},
): EventRow {
  return makeEvent(app, actor, name, {
    tenantId,
    resourceType: "repository",
    resourceId: _id,
    metadata: { host: host.kind, repository: host.fullName, branch, ...more },
  });
}
