/** Changes of a skill. Each is one conditional write, which also contains the audit events of the change. */
import type { Collection } from "mongodb";
import { outboxUpdate, type EventRow } from "../outbox.ts";
import type { VersionDoc } from "../versions.ts";
import { notDeleted, visible, type SkillDoc, type VersionSummary } from "./document.ts";
/** Fields of the skill that an appended version changes. */
export type AppendedFields = Partial<
  Pick<SkillDoc, "description" | "tags" | "excerpt" | "current" | "updatedAt">
>;
export function changeOperations(skills: Collection<SkillDoc>) {
  return {
    /**
     * Appends a version: the compare-and-set that makes it exist. Returns null and changes nothing if the skill was
     * deleted, or has another head than `expectedHead` or another current version than `expectedCurrent`.
     */
    async append(
      id: string,
      expectedHead: number,
      version: VersionDoc,
      change: {
        fields: AppendedFields;
        highestRelease: string;
        events: EventRow[];
        expectedCurrent?: number;
      },
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(change.events);
      const { expectedCurrent } = change;
      return skills.findOneAndUpdate(
        {
          _id: id,
          "head.version": expectedHead,
          ...(expectedCurrent === undefined ? {} : { "current.version": expectedCurrent }),
          ...notDeleted,
        },
        {
          $set: {
            ...change.fields,
            head: { version: version.version, oid: version.oid },
            highestRelease: change.highestRelease,
            ...outbox.$set,
          },
          $unset: { highestSemver: true },
          $push: { pending: version, ...outbox.$push },
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
    },
    /**
     * Changes the current version. Returns null if a publish or another revert changed it concurrently, or if the new
     * one was yanked.
     */
    async moveCurrent(
      id: string,
      expected: number,
      current: VersionSummary,
      excerpt: string,
      now: Date,
      events: EventRow[],
    ) {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        {
          _id: id,
          "current.version": expected,
          marks: { $not: { $elemMatch: { version: current.version, yanked: true } } },
          ...notDeleted,
        },
        {
          $set: { current, excerpt, updatedAt: now, ...outbox.$set },
          $push: outbox.$push,
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
    },

    /** Replaces marks of versions or findings. Returns null if the skill has changed since `revision`. */
    async annotate(
      id: string,
      revision: number,
      fields: Partial<Pick<SkillDoc, "marks" | "reviews" | "current" | "excerpt" | "updatedAt">>,
      events: EventRow[],
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, revision, ...notDeleted },
        { $set: { ...fields, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },

    async update(
      id: string,
      fields: Partial<
        Pick<
          SkillDoc,
          "name" | "nameKey" | "description" | "visibility" | "listed" | "tags" | "requiredServerIds"
        >
      >,
      now: Date,
      events: EventRow[],
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, ...visible },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },

    /** Moves a skill to another folder. Returns null if it is no longer in `expected`. */
    async move(
      id: string,
      expected: string | null,
      target: Pick<SkillDoc, "folderId" | "effectiveRestrictionId" | "listed">,
      now: Date,
      events: EventRow[],
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, folderId: expected, ...visible },
        { $set: { ...target, updatedAt: now, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },
    /** Marks a skill deleted: from this write on it is invisible, and its slug is free. */
    async markDeleted(id: string, now: Date, events: EventRow[]): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, ...notDeleted },
        {
          $set: { deletedAt: now, listed: false, slug: `${id}.deleted`, ...outbox.$set },
          $push: outbox.$push,
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
    },
  };
}
