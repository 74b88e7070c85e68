/** Changes of a skill. Each is one conditional write, which also contains the audit events of the change. */
import type { Collection } from "mongodb";
import type { Visibility } from "../../contract/vocabulary.ts";
import { changeOf, type Patch } from "../change.ts";
import type { EventRow } from "../outbox.ts";
import type { VersionDoc } from "../versions/versions.ts";
import { notDeleted, visible, type SkillDoc, type VersionMark } from "./document.ts";

/** Fields of the skill that an appended version changes. */
export type AppendedFields = Partial<
  Pick<SkillDoc, "description" | "tags" | "excerpt" | "current" | "listed" | "waitingSince" | "updatedAt">
>;

export function changeOperations(skills: Collection<SkillDoc>) {
  const change = changeOf(skills, notDeleted);
  return {
    /**
     * Appends a version: the compare-and-set that makes it exist. Returns null and changes nothing if the skill was
     * deleted, or has another head than `expectedHead`, another current version than `expectedCurrent`, or another
     * folder or visibility.
     */
    append: (
      id: string,
      expectedHead: number,
      version: VersionDoc,
      {
        fields,
        highestRelease,
        mark,
        folderId,
        visibility,
        events,
        expectedCurrent,
        packBytes,
      }: {
        fields: AppendedFields;
        highestRelease: string;
        /** State of the version, if it is not simply published. */
        mark?: VersionMark;
        /** The folder and the visibility for which that was decided. */
        folderId: string | null;
        visibility: Visibility;
        events: EventRow[];
        expectedCurrent?: number;
        packBytes: number;
      },
    ) =>
      change(id, {
        when: { "head.version": expectedHead, "current.version": expectedCurrent, folderId, visibility },
        set: { ...fields, head: { version: version.version, oid: version.oid }, highestRelease },
        unset: fields.current ? ["highestSemver", "withheld"] : ["highestSemver"],
        inc: { revision: 1, storedBytes: packBytes },
        push: mark ? { pending: version, marks: mark } : { pending: version },
        events,
      }),

    /**
     * Changes the current version, states of versions, channels or reviews of findings. Returns null if the skill has
     * changed since `revision`.
     */
    annotate: (id: string, revision: number, patch: Patch<SkillDoc>, events: EventRow[]) =>
      change(id, { revision, patch, events }),

    update: (
      id: string,
      patch: Pick<
        Patch<SkillDoc>,
        | "name"
        | "nameKey"
        | "description"
        | "visibility"
        | "listed"
        | "tags"
        | "deprecated"
        | "requiredServerIds"
        | "ownerTeamId"
      >,
      now: Date,
      events: EventRow[],
      expectedHead?: number,
    ) =>
      change(id, {
        when: { ...visible, "head.version": expectedHead },
        patch,
        inc: { revision: 1 },
        now,
        events,
      }),

    /** Moves a skill to another folder. Returns null if it is no longer where it was, or has another slug. */
    move: (
      { _id, slug, folderId }: Pick<SkillDoc, "_id" | "slug" | "folderId">,
      target: Pick<SkillDoc, "folderId" | "effectiveRestrictionId" | "listed">,
      now: Date,
      events: EventRow[],
    ) =>
      change(_id, {
        when: { slug, folderId, ...visible },
        set: target,
        inc: { revision: 1 },
        now,
        events,
      }),
    /** Null if the skill was moved or renamed concurrently. Throws a duplicate error of `skill_slug`. */
    rename: (
      { _id, slug: from, folderId }: Pick<SkillDoc, "_id" | "slug" | "folderId">,
      slug: string,
      now: Date,
      events: EventRow[],
    ) =>
      change(_id, {
        when: { slug: from, folderId, ...visible },
        set: { slug },
        inc: { revision: 1 },
        now,
        events,
      }),
    /** Marks a skill deleted: from this write on it is invisible. Returns null if it was deleted or renamed. */
    markDeleted: ({ _id, slug }: Pick<SkillDoc, "_id" | "slug">, now: Date, events: EventRow[]) =>
      change(_id, {
        when: { slug },
        set: { deletedAt: now, listed: false, slug: `${_id}.deleted` },
        inc: { revision: 1 },
        events,
      }),
  };
}
