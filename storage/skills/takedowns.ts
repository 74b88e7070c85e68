/**
 * Takedowns: a state by which administrators of the service hide a skill from everyone except members of its
 * organization. It overrides the skill's visibility until it is lifted, regardless of other changes.
 */
import type { Document, Filter } from "mongodb";
import { changeOf } from "../change.ts";
import type { Database } from "../database.ts";
import { listIds } from "../ids.ts";
import type { EventRow } from "../outbox.ts";
import { notDeleted } from "./document.ts";
import type { SkillDoc, Takedown, TakedownFollowUp } from "./skills.ts";

/** Whether the catalog shows a skill, as an expression over its document. */
export const isListed = {
  $and: [
    { $eq: ["$visibility", "public"] },
    { $eq: [{ $ifNull: ["$effectiveRestrictionId", null] }, null] },
    { $not: ["$deletedAt"] },
    { $not: ["$suspended"] },
    { $not: ["$takedown"] },
    { $not: ["$withheld"] },
  ],
};

export function openTakedowns(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const isTakenDown: Filter<SkillDoc> = { "takedown.at": { $exists: true } };
  return {
    /** Null if the skill does not exist, is private, or is taken down already. */
    takeDown: (id: string, takedown: Takedown, takedownFollowUp: TakedownFollowUp, events: EventRow[]) =>
      changeOf(skills, notDeleted)(id, {
        when: { visibility: { $ne: "private" }, takedown: { $exists: false } },
        set: { takedown, takedownFollowUp, listed: false },
        inc: { revision: 1 },
        events,
      }),
    /** Null if the skill does not exist or is not taken down. */
    async lift(id: string, takedownFollowUp: TakedownFollowUp, events: EventRow[]): Promise<SkillDoc | null> {
      const update: Document[] = [
        { $unset: "takedown" },
        {
          $set: {
            takedownFollowUp: { $literal: takedownFollowUp },
            listed: isListed,
            revision: { $add: ["$revision", 1] },
            outbox: { $concatArrays: [{ $ifNull: ["$outbox", []] }, { $literal: events }] },
            pendingSince: { $ifNull: ["$pendingSince", takedownFollowUp.since] },
          },
        },
      ];
      return skills.findOneAndUpdate({ _id: id, ...notDeleted, ...isTakenDown }, update, {
        returnDocument: "after",
      });
    },
    /** Skills that are taken down, latest first; `after` is the last one of the previous page. */
    list(after: { at: Date; id: string } | undefined, limit: number): Promise<SkillDoc[]> {
      const before = after && {
        $or: [{ "takedown.at": { $lt: after.at } }, { "takedown.at": after.at, _id: { $lt: after.id } }],
      };
      return skills
        .find({ ...isTakenDown, ...notDeleted, ...before })
        .sort({ "takedown.at": -1, _id: -1 })
        .limit(limit)
        .toArray();
    },
    listFollowUps: (before: Date, limit: number) =>
      listIds(skills, { "takedownFollowUp.since": { $lt: before } }, { limit }),
    async finishFollowUp(id: string, since: Date): Promise<void> {
      await skills.updateOne(
        { _id: id, "takedownFollowUp.since": since },
        { $unset: { takedownFollowUp: true } },
      );
    },
  };
}
