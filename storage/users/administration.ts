/** Accounts as administrators of the service see and suspend them. */
import type { Collection, Filter } from "mongodb";
import { outboxUpdate, type EventRow } from "../outbox.ts";
import { account, present, type Account, type UserDoc } from "./document.ts";

export interface UserQuery {
  /** Beginning of a folded address or of a user name; the order is that of the same field. */
  by: "emailKey" | "username";
  prefix?: string;
  suspended?: boolean;
  /** Only administrators of the service. */
  isAdministrator?: true;
  /** Value of that field in the last one of the previous page. */
  after?: string;
  limit: number;
}

export function administrationOperations(users: Collection<UserDoc>) {
  return {
    /** A page of all accounts. */
    list({ by, prefix, suspended, isAdministrator, after, limit }: UserQuery): Promise<Account[]> {
      const filter: Filter<UserDoc> = { ...present };
      const range = {
        ...(prefix === undefined ? {} : { $gte: prefix, $lt: `${prefix}\uffff` }),
        ...(after === undefined ? {} : { $gt: after }),
      };
      if (Object.keys(range).length > 0) filter[by] = range;
      if (isAdministrator) filter.isAdministrator = true;
      if (suspended !== undefined) filter.suspended = { $exists: suspended };
      return users
        .find(filter, { projection: account })
        .sort({ [by]: 1 })
        .limit(limit)
        .toArray();
    },
    /**
     * Suspends an account and ends its sessions and personal tokens in one write. Returns the epoch of later sessions,
     * or null if there is no such account, it is suspended already or it administers the service.
     */
    async suspend(
      id: string,
      suspended: NonNullable<UserDoc["suspended"]>,
      events: EventRow[],
    ): Promise<number | null> {
      const outbox = outboxUpdate(events);
      const updated = await users.findOneAndUpdate(
        { _id: id, ...present, suspended: { $exists: false }, isAdministrator: false },
        {
          $set: { suspended, tokensEnding: { since: suspended.at }, keptSessionId: null, ...outbox.$set },
          $inc: { sessionEpoch: 1, tokenEpoch: 1 },
          $push: outbox.$push,
        },
        { returnDocument: "after", projection: { sessionEpoch: 1 } },
      );
      return updated?.sessionEpoch ?? null;
    },
    /** False if there is no such account, or it is not suspended. */
    async unsuspend(id: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await users.updateOne(
        { _id: id, ...present, suspended: { $exists: true } },
        { $set: { updatedAt: now, ...outbox.$set }, $unset: { suspended: true }, $push: outbox.$push },
      );
      return result.modifiedCount === 1;
    },
  };
}
