/** A listener to changes, and the logs that concern it. */
import type { Actor } from "../access/actor.ts";
import type { EventStream } from "../http/service/event-streams.ts";

export interface Subscription {
  actor: Actor;
  /** The caller as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<Actor>;
  /** Only changes in this organization. */
  tenantId: string | undefined;
  /** Id of the last event that a listener received before it reconnected. */
  lastEventId: string;
}

export interface Listener extends Subscription {
  opened: EventStream;
  key: string;
  /** Changes from before this time are not sent. */
  since: number;
}

/** Organizations of which a listener may be told. */
export const tenantsOf = (actor: Actor): string[] =>
  actor.kind === "anonymous" ? [] : actor.memberships.map((membership) => membership.tenantId);

/** Logs that concern a listener, as they are when it is added. */
export function logsOf({ actor, tenantId }: Pick<Listener, "actor" | "tenantId">) {
  return {
    tenantIds: tenantsOf(actor).filter((one) => tenantId === undefined || one === tenantId),
    userIds: actor.kind === "user" ? [actor.userId] : [],
  };
}
