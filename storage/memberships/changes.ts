/** Changes of a membership. Each is made to the revision that its writer has read. */
import type { Collection, UpdateFilter } from "mongodb";
import { outboxUpdate, type EventRow } from "../outbox.ts";
import type { MembershipDoc } from "./document.ts";
/** Changes of a member's access, made in one write with their events. */
export interface MembershipChange {
  role?: string;
  enlisting?: Date;
  teamIds?: string[];
  sso?: MembershipDoc["sso"];
  addTeam?: string;
  removeTeam?: string;
}
export function changeOperations(memberships: Collection<MembershipDoc>) {
  return {
    /** Changes a membership as read at `revision`; null if it has changed or ended since. */
    change(
      id: string,
      revision: number,
      { addTeam, removeTeam, ...fields }: MembershipChange,
      events: EventRow[],
    ): Promise<MembershipDoc | null> {
      const outbox = outboxUpdate(events);
      const pendingSince = events[0]?.createdAt ?? fields.enlisting;
      const update: UpdateFilter<MembershipDoc> = {
        $set: { ...fields, ...(pendingSince ? { pendingSince } : {}) },
        $inc: { revision: 1 },
        $push: outbox.$push,
        ...(addTeam === undefined ? {} : { $addToSet: { teamIds: addTeam } }),
        ...(removeTeam === undefined ? {} : { $pull: { teamIds: removeTeam } }),
      };
      return memberships.findOneAndUpdate(
        { _id: id, revision, active: true, enlisting: { $exists: false } },
        update,
        { returnDocument: "after" },
      );
    },
    /** Ends `enlisting` of an owner; false if another process has ended it. */
    async finishEnlisting(id: string, revision: number): Promise<boolean> {
      const result = await memberships.updateOne(
        { _id: id, revision },
        { $unset: { enlisting: true }, $inc: { revision: 1 } },
      );
      return result.modifiedCount === 1;
    },
    /** Ends a membership as read at `revision`; false if it has changed since. */
    async markRemoved(id: string, revision: number, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await memberships.updateOne(
        { _id: id, revision, active: true, enlisting: { $exists: false } },
        {
          $set: { removedAt: now, ...outbox.$set },
          $unset: { active: true },
          $inc: { revision: 1 },
          $push: outbox.$push,
        },
      );
      return result.modifiedCount === 1;
    },
    /** Ended memberships whose cleanup is pending, of one user or of all. */
    listRemoved: (whose: { tenantId: string; userId: string } | undefined, before: Date, limit: number) =>
      memberships
        .find({ ...whose, removedAt: { $exists: true, $lte: before } })
        .limit(limit)
        .toArray(),
  };
}
