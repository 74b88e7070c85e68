/** The right of accounts to administer the service. */
import type { Collection } from "mongodb";
import { outboxUpdate, type EventRow } from "../outbox.ts";
import { present, type UserDoc } from "./document.ts";

export function administratorOperations(users: Collection<UserDoc>) {
  return {
    /** Whether any other account administers the service. */
    async hasOtherAdministrator(id: string): Promise<boolean> {
      const filter = { isAdministrator: true, _id: { $ne: id }, ...present };
      return (await users.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    /**
     * Grants or removes the administrator's right by the change with this number, unless a later one was applied. A
     * suspended account gets none. `refused` only marks the change as decided, so that a late process can't apply it.
     */
    async applyAdministratorChange(
      id: string,
      { number, isAdministrator }: { number: number; isAdministrator: boolean },
      verdict: "applied" | "refused",
      events: EventRow[],
    ): Promise<boolean> {
      const administratorChange = { $not: { $gte: number } };
      if (verdict === "refused") {
        await users.updateOne({ _id: id, administratorChange }, { $set: { administratorChange: number } });
        return false;
      }
      const outbox = outboxUpdate(events);
      const result = await users.updateOne(
        {
          _id: id,
          ...present,
          administratorChange,
          ...(isAdministrator ? { suspended: { $exists: false } } : {}),
        },
        {
          $set: { isAdministrator, administratorChange: number, ...outbox.$set },
          $push: outbox.$push,
        },
      );
      return result.modifiedCount === 1;
    },
  };
}
