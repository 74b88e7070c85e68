/**
 * Installed versions of skills by day. A day on which nothing changed has no document: the versions are those of the
 * latest day before it that has one. A change of an installation marks its skill's day, which is counted once it is
 * over.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";

export interface VersionCount {
  version: number;
  semver: string;
  installs: number;
}

/** Installations at the end of a day. */
export interface InstallCounts {
  installs: number;
  /** The most installed versions. */
  versions: VersionCount[];
}

export interface InstallDayDoc extends Partial<InstallCounts> {
  _id: string;
  tenantId: string;
  skillId: string;
  /** `yyyy-mm-dd`, in UTC. */
  date: string;
  /** Time from which the day can be counted; absent once it is counted. */
  dueAt?: Date;
}

const dayMs = 86_400_000;
/** Time after midnight for changes that have marked their day and are still being written. */
const graceMs = 60_000;

export const installDaysCollection = defineCollection({
  name: "install_days",
  indexes: [
    { key: { skillId: 1, date: 1 }, unique: true, name: "install_day" },
    { key: { tenantId: 1 } },
    { key: { dueAt: 1 }, sparse: true },
  ],
  open: (days: Collection<InstallDayDoc>) => ({
    /** Marks the current day of skills. Called before their installations change, so that no crash hides a change. */
    async mark(
      skills: readonly { _id: string; tenantId: string; skillId: string }[],
      now: Date,
    ): Promise<void> {
      if (skills.length === 0) return;
      const date = now.toISOString().slice(0, 10);
      const dueAt = new Date(Date.parse(date) + dayMs + graceMs);
      const updates = skills.map(({ _id, tenantId, skillId }) => ({
        updateOne: {
          filter: { skillId, date },
          update: { $set: { dueAt }, $setOnInsert: { _id, tenantId } },
          upsert: true,
        },
      }));
      try {
        await days.bulkWrite(updates, { ordered: false });
      } catch (error) {
        // A concurrent call has inserted the day with the same time.
        if (!isDuplicate(error, "install_day")) throw error;
      }
    },
    /** Days that are over and not counted, oldest first. */
    listDue: (now: Date, limit: number): Promise<InstallDayDoc[]> =>
      days
        .find({ dueAt: { $lte: now } }, { maxTimeMS: commandTimeMs })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** Stores the counts of a marked day under a date, which is later if the day was not counted in time. */
    async record(id: string, date: string, { installs, versions }: InstallCounts): Promise<void> {
      const update = { $set: { date, installs, versions }, $unset: { dueAt: true as const } };
      try {
        await days.updateOne({ _id: id }, update);
      } catch (error) {
        // The later day has a document of its own, which has or gets these counts.
        if (!isDuplicate(error, "install_day")) throw error;
        await days.deleteOne({ _id: id });
      }
    },
    /** The latest day before a date, and all from it on, oldest first. */
    async listOfSkill(skillId: string, from: string): Promise<InstallDayDoc[]> {
      const options = { maxTimeMS: commandTimeMs };
      const [before, rest] = await Promise.all([
        days.findOne({ skillId, date: { $lt: from } }, { ...options, sort: { date: -1 } }),
        days
          .find({ skillId, date: { $gte: from } }, options)
          .sort({ date: 1 })
          .toArray(),
      ]);
      return before ? [before, ...rest] : rest;
    },
    async remove(id: string): Promise<void> {
      await days.deleteOne({ _id: id });
    },
    async removeOfSkill(skillId: string): Promise<void> {
      await days.deleteMany({ skillId });
    },
  }),
});
