/** Results of jobs by kind and minute, kept for a week for the administrators' plot only. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { removeSlice } from "./slices.ts";

/** Results of one kind of job in one minute. */
export interface JobMinute {
  /** The minute and the job's name, so that processes add to the same one. */
  _id: string;
  at: Date;
  queue: string;
  name: string;
  completed: number;
  /** Jobs that failed permanently. */
  failed: number;
  /** Attempts that failed and were retried. */
  retried: number;
  /** Total over all attempts. */
  durationMs: number;
  maxMs: number;
}

/** Results of a longer step, or of a whole queue. */
export type JobSums = Pick<JobMinute, "completed" | "failed" | "retried" | "durationMs" | "maxMs">;

export const jobMetricsCollection = defineCollection({
  name: "job_minutes",
  indexes: [
    { key: { at: 1 }, name: "job_minute_at" },
    { key: { queue: 1, at: 1 }, name: "job_minute_queue_at" },
  ],
  open: openJobMetrics,
});

function openJobMetrics(minutes: Collection<JobMinute>) {
  const sums = {
    completed: { $sum: "$completed" },
    failed: { $sum: "$failed" },
    retried: { $sum: "$retried" },
    durationMs: { $sum: "$durationMs" },
    maxMs: { $max: "$maxMs" },
  };

  return {
    async add(rows: readonly Omit<JobMinute, "_id">[]): Promise<void> {
      if (rows.length === 0) return;
      await minutes.bulkWrite(
        rows.map(({ at, queue, name, maxMs, ...counts }) => ({
          updateOne: {
            filter: { _id: `${at.toISOString()} ${name}` },
            update: { $inc: counts, $max: { maxMs }, $setOnInsert: { at, queue, name } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },

    /** Sums of steps of `stepMs` from `since` on, oldest first, without steps that have no runs. */
    async listSteps(
      since: Date,
      stepMs: number,
      queue: string | undefined,
    ): Promise<(JobSums & { at: Date })[]> {
      const time = { $toLong: "$at" };
      const rows = await minutes
        .aggregate<JobSums & { _id: { toString(): string } }>(
          [
            { $match: { ...(queue === undefined ? {} : { queue }), at: { $gte: since } } },
            { $group: { _id: { $subtract: [time, { $mod: [time, stepMs] }] }, ...sums } },
            { $sort: { _id: 1 } },
          ],
          { maxTimeMS: commandTimeMs },
        )
        .toArray();
      return rows.map(({ _id, ...rest }) => ({ ...rest, at: new Date(Number(_id)) }));
    },

    /** Sums by queue from `since` on. */
    async sumQueues(since: Date): Promise<Map<string, JobSums>> {
      const rows = await minutes
        .aggregate<JobSums & { _id: string }>(
          [{ $match: { at: { $gte: since } } }, { $group: { _id: "$queue", ...sums } }],
          { maxTimeMS: commandTimeMs },
        )
        .toArray();
      return new Map(rows.map(({ _id, ...rest }) => [_id, rest]));
    },

    /** Names of jobs that have failed permanently since a time. */
    async listFailed(since: Date): Promise<string[]> {
      const rows = await minutes
        .aggregate<{ _id: string }>([
          { $match: { at: { $gte: since }, failed: { $gt: 0 } } },
          { $group: { _id: "$name" } },
          { $sort: { _id: 1 } },
        ])
        .toArray();
      return rows.map(({ _id }) => _id);
    },

    /** Removes a slice of older figures; returns how many were removed. */
    removeBefore: (before: Date) => removeSlice(minutes, { at: { $lt: before } }),
  };
}
