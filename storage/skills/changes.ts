/** Changes of a skill. Each is one conditional write, which also contains the audit events of the change. */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import type { EventRow } from "../outbox.ts";
import type { VersionDoc } from "../versions.ts";
import { notDeleted, visible, type SkillDoc, type VersionSummary } from "./document.ts";

/** Fields of the skill that an appended version changes. */
export type AppendedFields = Partial<
  Pick<SkillDoc, "description" | "tags" | "excerpt" | "current" | "updatedAt">
>;

export function changeOperations(skills: Collection<SkillDoc>) {
  const change = changeOf(skills, notDeleted);
  return {
    /**
     * Appends a version: the compare-and-set that makes it exist. Returns null and changes nothing if the skill was
     * deleted, or has another head than `expectedHead` or another current version than `expectedCurrent`.
     */
    append: (
      id: string,
      expectedHead: number,
      version: VersionDoc,
      {
        fields,
        highestRelease,
        events,
        expectedCurrent,
        packBytes,
      }: {
        fields: AppendedFields;
        highestRelease: string;
        events: EventRow[];
        expectedCurrent?: number;
        packBytes: number;
      },
    ) =>
      change(id, {
        when: { "head.version": expectedHead, "current.version": expectedCurrent },
        set: { ...fields, head: { version: version.version, oid: version.oid }, highestRelease },
        unset: ["highestSemver"],
        inc: { revision: 1, storedBytes: packBytes },
        push: { pending: version },
        events,
      }),

    /**
     * Changes the current version. Returns null if a publish or another revert changed it concurrently, or if the new
     * one was yanked.
     */
    moveCurrent: (
      id: string,
      expected: number,
      current: VersionSummary,
      excerpt: string,
      now: Date,
      events: EventRow[],
    ) =>
      change(id, {
        when: {
          "current.version": expected,
          marks: { $not: { $elemMatch: { version: current.version, yanked: true } } },
        },
        set: { current, excerpt },
        inc: { revision: 1 },
        now,
        events,
      }),

    /** Replaces marks of versions or findings. Returns null if the skill has changed since `revision`. */
    annotate: (
      id: string,
      revision: number,
      fields: Partial<Pick<SkillDoc, "marks" | "reviews" | "current" | "excerpt" | "updatedAt">>,
      events: EventRow[],
    ) => change(id, { revision, set: fields, events }),

    update: (
      id: string,
      fields: Partial<
        Pick<
          SkillDoc,
          "name" | "nameKey" | "description" | "visibility" | "listed" | "tags" | "requiredServerIds"
        >
      >,
      now: Date,
      events: EventRow[],
    ) => change(id, { when: visible, set: fields, inc: { revision: 1 }, now, events }),

    /** Moves a skill to another folder. Returns null if it is no longer in `expected`. */
    move: (
      id: string,
      expected: string | null,
      target: Pick<SkillDoc, "folderId" | "effectiveRestrictionId" | "listed">,
      now: Date,
      events: EventRow[],
    ) =>
      change(id, {
        when: { folderId: expected, ...visible },
        set: target,
        inc: { revision: 1 },
        now,
        events,
      }),
    /** Marks a skill deleted: from this write on it is invisible, and its slug is free. */
    markDeleted: (id: string, now: Date, events: EventRow[]) =>
      change(id, {
        set: { deletedAt: now, listed: false, slug: `${id}.deleted` },
        inc: { revision: 1 },
        events,
      }),
  };
}
