/** Rows, refs and search entries are projected from skill documents: the queries for that, and the removal of marks. */
import type { Collection } from "mongodb";
import { commandTimeMs } from "../database.ts";
import { batchedLookup, oneOf } from "../lookups/batched-lookup.ts";
import { listUnflushed } from "../outbox.ts";
import { notDeleted, type SkillDoc } from "./document.ts";
/** Fields of a skill that its projection reads. */
export type SkillToProject = Pick<
  SkillDoc,
  | "_id"
  | "tenantId"
  | "tenantSlug"
  | "publicId"
  | "slug"
  | "createdBy"
  | "pending"
  | "outbox"
  | "deletedAt"
  | "revision"
  | "visibility"
  | "folderId"
  | "ownerTeamId"
  | "effectiveRestrictionId"
  | "listed"
  | "takedown"
  | "suspended"
  | "marks"
  | "withheld"
>;

/** A skill as its refs, tags and search terms are derived from it. */
export type SkillToIndex = Omit<SkillDoc, "pending" | "outbox">;

/** Time within which the projections of a round get the locks of their refs. */
const locksMs = 5;
const afterLocks = (start: () => void) => setTimeout(start, locksMs);

export function projectionOperations(skills: Collection<SkillDoc>) {
  return {
    listUnflushed: (before: Date, limit: number) => listUnflushed(skills, before, limit),
    /** Skills to project, including deleted ones. */
    listToProject: (ids: string[]) =>
      skills
        .find(
          { _id: { $in: ids } },
          {
            projection: {
              tenantId: 1,
              tenantSlug: 1,
              publicId: 1,
              slug: 1,
              createdBy: 1,
              pending: 1,
              outbox: 1,
              deletedAt: 1,
              revision: 1,
              visibility: 1,
              folderId: 1,
              ownerTeamId: 1,
              effectiveRestrictionId: 1,
              listed: 1,
              takedown: 1,
              suspended: 1,
              marks: 1,
              withheld: 1,
            },
          },
        )
        .toArray() as Promise<SkillToProject[]>,
    /** Skills whose refs, tags and search terms are to be written, including deleted ones. */
    listToIndex: (ids: string[]): Promise<SkillToIndex[]> =>
      skills.find({ _id: { $in: ids } }, { projection: { pending: 0, outbox: 0 } }).toArray(),
    listUnindexed: (tenantIds: string[], limit: number) => listUnindexed(skills, tenantIds, limit),
    /** Commits that refs are derived from; undefined for a deleted skill. Waits a moment for other calls. */
    findOids: batchedLookup(async (ids) => {
      const found = await skills
        .find(
          { _id: oneOf(ids), ...notDeleted },
          { projection: { "current.oid": 1, "head.oid": 1, marks: 1, withheld: 1 } },
        )
        .toArray();
      return new Map(
        found.map(({ _id, current, head, marks, withheld }) => [
          _id,
          { main: withheld ? null : current.oid, head: head.oid, marks },
        ]),
      );
    }, afterLocks),
    /** Removes projected versions and published events from the documents. Later additions stay. */
    async clearProjected(projected: SkillToProject[]): Promise<void> {
      const remaining = projected.filter((skill) => skill.pending.length + (skill.outbox?.length ?? 0) > 0);
      if (remaining.length === 0) return;
      await skills.bulkWrite(
        remaining.map(({ _id, pending, outbox }) => ({
          updateOne: {
            filter: { _id },
            update: {
              $pull: {
                pending: { _id: { $in: pending.map((row) => row._id) } },
                outbox: { _id: { $in: (outbox ?? []).map((row) => row._id) } },
              },
            },
          },
        })),
        { ordered: false },
      );
    },
    /** Marks a skill to be projected again. */
    async markPending(id: string, now: Date): Promise<void> {
      await skills.updateOne(
        { _id: id, pendingSince: { $exists: false }, ...notDeleted },
        { $set: { pendingSince: now } },
      );
    },
    /** Removes the mark of skills that have nothing pending and have not changed since. */
    async markProjected(projected: readonly Pick<SkillDoc, "_id" | "revision">[]): Promise<void> {
      if (projected.length === 0) return;
      await skills.bulkWrite(
        projected.map(({ _id, revision }) => ({
          updateOne: {
            filter: {
              _id,
              revision,
              pending: { $size: 0 },
              outbox: { $size: 0 },
            },
            update: { $unset: { pendingSince: true } },
          },
        })),
        { ordered: false },
      );
    },
  };
}

/** Skills of organizations that changed after their search entry was written, the latest change first. */
function listUnindexed(
  skills: Collection<SkillDoc>,
  tenantIds: string[],
  limit: number,
): Promise<SkillToIndex[]> {
  const indexed = { $ifNull: [{ $first: "$entry.revision" }, -1] };
  return skills
    .aggregate<SkillToIndex>(
      [
        {
          $match: {
            pendingSince: { $exists: true },
            tenantId: oneOf(tenantIds),
            ...notDeleted,
          },
        },
        { $sort: { pendingSince: -1 } },
        { $limit: limit },
        {
          $lookup: {
            from: "search_entries",
            localField: "_id",
            foreignField: "_id",
            pipeline: [{ $project: { revision: 1 } }],
            as: "entry",
          },
        },
        { $match: { $expr: { $lt: [indexed, "$revision"] } } },
        { $project: { pending: 0, outbox: 0, entry: 0 } },
      ],
      // Few skills are pending, while an organization may have many.
      { hint: { pendingSince: 1 }, maxTimeMS: commandTimeMs },
    )
    .toArray();
}
