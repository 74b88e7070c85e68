/** The right of accounts to administer the service. */
import type { Collection } from "mongodb";
import type { EventRow } from "../outbox.ts";
import { changeAccount, present, type UserDoc } from "./document.ts";

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
      const changed = await changeAccount(users)(id, {
        when: { administratorChange, ...(isAdministrator ? { suspended: { $exists: false } } : {}) },
        set: { isAdministrator, administratorChange: number },
        events,
      });
      return changed !== null;
    },
  };
}
