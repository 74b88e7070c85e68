/** Changes of a membership. Each is made to the revision that its writer has read. */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import type { EventRow } from "../outbox.ts";
import type { MembershipDoc } from "./document.ts";

export function changeOperations(memberships: Collection<MembershipDoc>) {
  const change = changeOf(memberships, { active: true, enlisting: { $exists: false } });
  return {
    /** Changes a membership. Null if it has ended or has changed since the revision. */
    change,
    /** Ends `enlisting` of an owner; false if another process has ended it. */
    async finishEnlisting(id: string, revision: number): Promise<boolean> {
      const result = await memberships.updateOne(
        { _id: id, revision },
        { $unset: { enlisting: true }, $inc: { revision: 1 } },
      );
      return result.modifiedCount === 1;
    },
    /** Ends a membership as read at `revision`. Null if it has changed since. */
    markRemoved: (id: string, revision: number, now: Date, events: EventRow[]) =>
      change(id, { revision, set: { removedAt: now }, unset: ["active"], events }),
    /** Ended memberships whose cleanup is pending, of one user or of all. */
    listRemoved: (whose: { tenantId: string; userId: string } | undefined, before: Date, limit: number) =>
      memberships
        .find({ ...whose, removedAt: { $exists: true, $lte: before } })
        .limit(limit)
        .toArray(),
  };
}
