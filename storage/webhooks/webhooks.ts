/** Webhooks of organizations: receivers of events, the state of their deliveries, and the lease of the deliverer. */
import type { Collection, Filter } from "mongodb";
import type { WebhookDisabling, WebhookEvent, WebhookKind } from "../../contract/events/webhook-events.ts";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox } from "../outbox.ts";

export interface WebhookDoc extends NamedDoc {
  /** Slot of the organization, from 0 up to `limits.webhooksPerOrganization`. */
  slot: number;
  kind: WebhookKind;
  /** The address, which is a secret itself at chats. */
  sealedUrl: string;
  /** Its host, for people. */
  host: string;
  /** Null: all events, also those that later releases add. */
  events: WebhookEvent[] | null;
  /** Secrets by which messages of the kind `standard` are signed; the previous one until its end. */
  secret?: { sealed: string };
  previousSecret?: { sealed: string; until: Date };
  enabled: boolean;
  /** Set if the service has disabled it. */
  disabled?: { reason: WebhookDisabling; at: Date };
  /** Set until the owners have their mail about that. */
  noticeDue?: true;
  /** Time of the last delivery. */
  deliveredAt?: Date;
  /** Failed attempts since then, the time of the first one, and the reason of the last one. */
  failures?: number;
  failingSince?: Date;
  error?: string;
  /** No request is sent before, since the receiver has asked for a pause. */
  pausedUntil?: Date;
  /** The process that delivers, until `leasedUntil`. */
  lease?: string;
  leasedUntil?: Date;
}

/** A webhook as the recorder of messages needs it. */
export type ListeningWebhook = Pick<WebhookDoc, "_id" | "tenantId" | "events" | "failures">;

const failureFields = { failures: true, failingSince: true, error: true } as const;
/** Fields that a webhook loses when it is enabled again, so that it begins anew. */
export const disablingFields: readonly string[] = [
  ...Object.keys(failureFields),
  "pausedUntil",
  "disabled",
  "noticeDue",
];

export const webhooksCollection = defineCollection({
  name: "webhooks",
  indexes: [
    ...namedIndexes("webhook_name"),
    {
      key: { tenantId: 1, slot: 1 },
      unique: true,
      name: "webhook_slot",
      partialFilterExpression: { active: true },
    },
    { key: { tenantId: 1 } },
  ],
  outbox: true,
  open: openWebhooks,
});

function openWebhooks(webhooks: Collection<WebhookDoc>) {
  const held = (_id: string, lease: string): Filter<WebhookDoc> => ({ _id, lease });
  return {
    ...namedOperations(webhooks),
    /** All of an organization, the oldest first. */
    list: (tenantId: string) =>
      webhooks.find({ tenantId, active: true }, withoutOutbox).sort({ _id: 1 }).toArray(),
    /** Those of the organizations that are enabled. */
    listListening: (tenantIds: string[]): Promise<ListeningWebhook[]> =>
      webhooks
        .find(
          { tenantId: { $in: tenantIds }, active: true, enabled: true },
          { projection: { tenantId: 1, events: 1, failures: 1 } },
        )
        .toArray(),
    /** Those of the organizations that the service has disabled. */
    listDisabled: (tenantIds: string[], limit: number) =>
      webhooks
        .find({ tenantId: { $in: tenantIds }, active: true, disabled: { $exists: true } }, withoutOutbox)
        .limit(limit)
        .toArray(),

    /** Makes a process the only one that delivers. Null while another one does, and for a deleted webhook. */
    begin: (_id: string, lease: string, now: Date, until: Date): Promise<WebhookDoc | null> =>
      webhooks.findOneAndUpdate(
        { _id, active: true, $or: [{ leasedUntil: { $exists: false } }, { leasedUntil: { $lte: now } }] },
        { $set: { lease, leasedUntil: until } },
        { ...withoutOutbox, returnDocument: "after" },
      ),
    /** The webhook as it is now. Null if another process has taken over, or it was deleted. */
    renew: (_id: string, lease: string, until: Date): Promise<WebhookDoc | null> =>
      webhooks.findOneAndUpdate(
        { ...held(_id, lease), active: true },
        { $set: { leasedUntil: until } },
        { ...withoutOutbox, returnDocument: "after" },
      ),
    /** The webhook as it is now, with the same condition. */
    findHeld: (_id: string, lease: string): Promise<WebhookDoc | null> =>
      webhooks.findOne({ ...held(_id, lease), active: true }, withoutOutbox),
    async end(_id: string, lease: string): Promise<void> {
      await webhooks.updateOne(held(_id, lease), { $unset: { lease: true, leasedUntil: true } });
    },
    exists: async (_id: string): Promise<boolean> =>
      (await webhooks.findOne({ _id, active: true }, { projection: { _id: 1 } })) !== null,

    async noteDelivery(_id: string, now: Date): Promise<void> {
      await webhooks.updateOne({ _id }, { $set: { deliveredAt: now }, $unset: failureFields });
    },
    /** Returns the webhook after the failure; null if it was deleted. */
    noteFailure: (
      _id: string,
      { error, now, pausedUntil }: { error: string; now: Date; pausedUntil: Date | undefined },
    ): Promise<WebhookDoc | null> =>
      webhooks.findOneAndUpdate(
        { _id, active: true },
        [
          {
            $set: {
              error: { $literal: error },
              failures: { $add: [{ $ifNull: ["$failures", 0] }, 1] },
              failingSince: { $ifNull: ["$failingSince", now] },
              pausedUntil: pausedUntil ?? "$pausedUntil",
            },
          },
        ],
        { ...withoutOutbox, returnDocument: "after" },
      ),
    async clearNotice(_id: string): Promise<void> {
      await webhooks.updateOne({ _id }, { $unset: { noticeDue: true } });
    },
    /** Removes deleted webhooks whose events are in the log; returns how many were removed. */
    removeEnded: () =>
      removeSlice(webhooks, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
  };
}
