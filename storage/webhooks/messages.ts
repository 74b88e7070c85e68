/** Messages to the receivers of webhooks: the queue of each, and the history of what was sent. */
import type { Collection, Filter } from "mongodb";
import type { WebhookDeliveryState, WebhookMessageType } from "../../contract/events/webhook-events.ts";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { insertOnce, type EventRow } from "../outbox.ts";

export interface WebhookAttempt {
  at: Date;
  durationMs: number;
  /** Absent if there was no response. */
  status?: number;
  /** Reason of a failure, as a sentence without text of the receiver. */
  error?: string;
}

/** Content of a message about an event: ids, a page, and names that every member may know. */
export interface WebhookMessageData {
  organization: { id: string; slug: string };
  resource?: { type: string; id: string; name?: string };
  /** Version of a skill. */
  version?: string;
  actor: EventRow["actor"];
  /** Numbers and codes. */
  facts?: Record<string, string | number>;
  /** Page that shows more to those who may see it. */
  url: string;
}

export interface WebhookMessageDoc {
  /** `webhookId:eventId`: an event is one message to a receiver, however often it is recorded. */
  _id: string;
  webhookId: string;
  tenantId: string;
  /** The event; the receiver gets it as the id of the message, the same in repetitions. */
  eventId: string;
  type: WebhookMessageType;
  /** Time of the event. */
  at: Date;
  data: WebhookMessageData;
  state: WebhookDeliveryState;
  /** Only while it is pending. Before `immediately`: a person asks for it. */
  nextAttemptAt?: Date;
  /** Set if it is not repeated after a failure. */
  once?: true;
  /** Number of attempts, the last ones of which are kept. */
  attemptCount: number;
  attempts: WebhookAttempt[];
  /** Beginning of the body of the last response; empty without a response. */
  response?: string;
}

/** Time of the next attempt of a message that a person asks for: it is sent first, also by a disabled webhook. */
export const immediately = new Date(0);
/** Attempts that are kept of a message. */
const keptAttempts = 20;

export interface MessageQuery {
  state?: WebhookDeliveryState;
  /** The last message of the previous page. */
  before?: { at: Date; id: string };
  limit: number;
}

export const webhookMessagesCollection = defineCollection({
  name: "webhook_messages",
  indexes: [
    {
      key: { webhookId: 1, nextAttemptAt: 1 },
      name: "webhook_due",
      partialFilterExpression: { state: "pending" },
    },
    { key: { webhookId: 1, at: -1, _id: -1 } },
    { key: { webhookId: 1, state: 1, at: -1, _id: -1 } },
    { key: { tenantId: 1 } },
    { key: { at: 1 } },
  ],
  open: openMessages,
});

function openMessages(messages: Collection<WebhookMessageDoc>) {
  const pending = { state: "pending" } as const;
  return {
    /** Adds messages. Existing ones are not changed. */
    record: (rows: WebhookMessageDoc[]) => insertOnce(messages, rows),
    /** Messages whose attempt is due, the earliest first. */
    listDue: (
      webhookId: string,
      until: Date,
      except: string[],
      limit: number,
    ): Promise<WebhookMessageDoc[]> =>
      messages
        .find({ webhookId, ...pending, nextAttemptAt: { $lte: until }, _id: { $nin: except } })
        .sort({ nextAttemptAt: 1 })
        .limit(limit)
        .toArray(),
    /** Time of the earliest attempt up to `until`; undefined if there is none. */
    async nextDue(webhookId: string, until: Date): Promise<Date | undefined> {
      const next = await messages.findOne(
        { webhookId, ...pending, nextAttemptAt: { $lte: until } },
        { sort: { nextAttemptAt: 1 }, projection: { nextAttemptAt: 1 } },
      );
      return next?.nextAttemptAt;
    },
    /** Ids of the webhooks with pending messages, each once. */
    async *eachPending(): AsyncGenerator<string> {
      for (let after = ""; ;) {
        const next = await messages.findOne(
          { ...pending, webhookId: { $gt: after } },
          { sort: { webhookId: 1, nextAttemptAt: 1 }, projection: { webhookId: 1 } },
        );
        if (next === null) return;
        yield (after = next.webhookId);
      }
    },
    countPending: (webhookId: string, max: number): Promise<number> =>
      messages.countDocuments({ webhookId, ...pending }, { limit: max }),

    /** Records an attempt, and the beginning of its response. With a next attempt, the message stays pending. */
    async noteAttempt(
      id: string,
      attempt: WebhookAttempt,
      { state, nextAttemptAt, response }: Pick<WebhookMessageDoc, "state" | "nextAttemptAt" | "response">,
    ): Promise<void> {
      await messages.updateOne(
        { _id: id },
        {
          $set: { state, nextAttemptAt, response },
          $unset: nextAttemptAt ? undefined : { nextAttemptAt: true },
          $inc: { attemptCount: 1 },
          $push: { attempts: { $each: [attempt], $slice: -keptAttempts } },
        },
      );
    },
    /** Sends a message again, first of all. A message that is not pending is tried once. */
    async resend(id: string): Promise<void> {
      const nextAttemptAt = immediately;
      const waiting = await messages.updateOne({ _id: id, ...pending }, { $set: { nextAttemptAt } });
      if (waiting.matchedCount === 0)
        await messages.updateOne({ _id: id }, { $set: { ...pending, nextAttemptAt, once: true } });
    },
    /** Makes pending messages due. */
    async hasten(webhookId: string, now: Date): Promise<void> {
      await messages.updateMany(
        { webhookId, ...pending, nextAttemptAt: { $gt: now } },
        { $set: { nextAttemptAt: now } },
      );
    },
    find: (webhookId: string, id: string) => messages.findOne({ _id: id, webhookId }),
    /** A page, newest first. */
    list(webhookId: string, { state, before, limit }: MessageQuery): Promise<WebhookMessageDoc[]> {
      const filter: Filter<WebhookMessageDoc> = { webhookId };
      if (state) filter.state = state;
      if (before) filter.$or = [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }];
      return messages.find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray();
    },
    removeBefore: (time: Date) => removeSlice(messages, { at: { $lt: time } }),
    removeOfWebhook: (webhookId: string) => removeSlice(messages, { webhookId }),
  };
}
