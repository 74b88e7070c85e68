/** Accounts as administrators of the service see and suspend them. */
import type { Collection, Filter } from "mongodb";
import type { EventRow } from "../outbox.ts";
import { changeAccount, account, present, type Account, type UserDoc } from "./document.ts";

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
  const change = changeAccount(users);
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
      const updated = await change(id, {
        when: { suspended: { $exists: false }, isAdministrator: false },
        set: { suspended, tokensEnding: { since: suspended.at }, keptSessionId: null },
        inc: { sessionEpoch: 1, tokenEpoch: 1 },
        events,
      });
      return updated?.sessionEpoch ?? null;
    },
  };
}
