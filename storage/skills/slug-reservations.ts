/**
 * Slugs of an organization that no new skill gets: previous slugs of renamed skills, which still lead to them, and
 * those of deleted skills for a time, so that nothing else answers to what was installed. A freed reservation keeps a
 * marked document until its event is in the audit log.
 */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { withoutOutbox, type EventRow, type WithOutbox } from "../outbox.ts";

export interface SlugReservationDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  slug: string;
  /** The skill that had the slug. */
  skillId: string;
  reason: "renamed" | "deleted";
  since: Date;
  /** End of the reservation; absent for one that only an owner ends. */
  until?: Date;
  /** The skill was public when it lost the slug. */
  wasPublic?: true;
  active?: true;
  removedAt?: Date;
}

export type SlugReservation = Omit<SlugReservationDoc, keyof WithOutbox | "active" | "removedAt">;

export const slugReservationsCollection = defineCollection({
  name: "slug_reservations",
  indexes: [
    {
      key: { tenantId: 1, slug: 1 },
      unique: true,
      name: "reserved_slug",
      partialFilterExpression: { active: true },
    },
    { key: { skillId: 1 } },
    {
      key: { tenantId: 1, wasPublic: 1, slug: 1 },
      name: "deleted_public_slugs",
      partialFilterExpression: { active: true, wasPublic: true },
    },
    { key: { until: 1 }, sparse: true },
    { key: { removedAt: 1 }, sparse: true },
  ],
  outbox: true,
  open: openSlugReservations,
});

function openSlugReservations(reservations: Collection<SlugReservationDoc>) {
  const change = changeOf(reservations, { active: true });
  return {
    find: (tenantId: string, slug: string): Promise<SlugReservation | null> =>
      reservations.findOne({ tenantId, slug, active: true }, withoutOutbox),
    /** The renamed skills to which a slug leads in some organizations. */
    listRenamed: (tenantIds: string[], slug: string): Promise<SlugReservation[]> =>
      reservations
        .find({ tenantId: { $in: tenantIds }, slug, active: true, reason: "renamed" }, withoutOutbox)
        .toArray(),
    listOfSkill: (skillId: string): Promise<SlugReservation[]> =>
      reservations.find({ skillId, active: true }, withoutOutbox).sort({ since: -1, _id: -1 }).toArray(),
    /** Previous slugs of an organization's skills with these ids; those alone that were public, if wanted. */
    listFormer: (tenantId: string, skillIds: string[], wasPublic?: true): Promise<SlugReservation[]> =>
      reservations
        .find(
          {
            tenantId,
            skillId: { $in: skillIds },
            active: true,
            reason: "renamed",
            ...(wasPublic && { wasPublic }),
          },
          withoutOutbox,
        )
        .sort({ slug: 1 })
        .toArray(),
    /** Slugs of an organization's skills that were public until they were deleted lately, in order. */
    listDeletedPublic: (tenantId: string, limit: number): Promise<SlugReservation[]> =>
      reservations
        .find(
          { tenantId, active: true, wasPublic: true, reason: "deleted" },
          { ...withoutOutbox, maxTimeMS: commandTimeMs },
        )
        .sort({ slug: 1 })
        .limit(limit)
        .toArray(),
    /** Those of an organization by slug. */
    list: (tenantId: string, after: string | undefined, limit: number): Promise<SlugReservation[]> =>
      reservations
        .find(
          { tenantId, active: true, ...(after !== undefined && { slug: { $gt: after } }) },
          { ...withoutOutbox, maxTimeMS: commandTimeMs },
        )
        .sort({ slug: 1 })
        .limit(limit)
        .toArray(),
    /** Reserves a slug that the skill has until the next write. An earlier reservation of the slug ends. */
    async reserve({ _id, tenantId, slug, ...fields }: SlugReservation): Promise<void> {
      const write = () =>
        reservations.updateOne(
          { tenantId, slug, active: true },
          {
            $set: fields,
            $setOnInsert: { _id },
            $unset: {
              ...(fields.until === undefined && { until: true }),
              ...(fields.wasPublic === undefined && { wasPublic: true }),
            },
          },
          { upsert: true },
        );
      try {
        await write();
      } catch (error) {
        if (!isDuplicate(error, "reserved_slug")) throw error;
        await write();
      }
    },
    /** Previous slugs of a deleted skill end with the reservation of its own. */
    async endWith(skillId: string, fields: Pick<SlugReservation, "since" | "until">): Promise<void> {
      await reservations.updateMany({ skillId, active: true }, { $set: { reason: "deleted", ...fields } });
    },
    /** Ends the reservation of a slug that the skill has again. */
    async release({ tenantId, slug, skillId }: Pick<SlugReservation, "tenantId" | "slug" | "skillId">) {
      await reservations.deleteOne({ tenantId, slug, skillId, active: true });
    },
    /** Frees a slug for any skill. Null if it was freed already. */
    free: (id: string, now: Date, events: EventRow[]) =>
      change(id, { set: { removedAt: now }, unset: ["active", "until"], events }),
    /** Removes what has ended; returns how many were removed. */
    removeEnded: async (now: Date): Promise<number> =>
      (await removeSlice(reservations, { until: { $lte: now } })) +
      (await removeSlice(reservations, {
        removedAt: { $exists: true },
        pendingSince: { $exists: false },
      })),
  };
}
