/**
 * Conditions of the service that its administrators are told about: one document each, whose writes decide once for all
 * processes what is told.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";
import { removeSlice } from "./slices.ts";

export interface OperatorNotice {
  id: string;
  type: "begun" | "continues" | "ended";
  at: Date;
}

export interface OperatorConditionDoc {
  /** The condition, such as `sync-lag` or `job-failed mail.account`. */
  _id: string;
  /** A sentence about its current state. */
  text: string;
  /** Absent while the condition does not apply. */
  since?: Date;
  /** Time of the last notice that it applies. */
  notifiedAt?: Date;
  /** The notice that is to be sent; `mailed` once the mails are stored with the accounts. */
  pending?: OperatorNotice & { mailed?: true };
  /** No other process sends the pending notice before. */
  sendAt?: Date;
  updatedAt: Date;
}

const claimMs = 5 * 60_000;

export const operatorConditionsCollection = defineCollection({
  name: "operator_conditions",
  indexes: [
    { key: { since: 1 }, sparse: true, name: "condition_since" },
    { key: { sendAt: 1 }, sparse: true, name: "condition_send_at" },
    { key: { updatedAt: 1 }, name: "condition_updated_at" },
  ],
  open: (conditions: Collection<OperatorConditionDoc>) => ({
    /** Records that a condition applies. A notice is due if the last one was before `notifiedBefore`. */
    async apply(
      id: string,
      text: string,
      notice: Omit<OperatorNotice, "type">,
      notifiedBefore: Date,
    ): Promise<void> {
      const { at } = notice;
      const hasBegun = { $gt: ["$since", null] };
      const isDue = { $lte: [{ $ifNull: ["$notifiedAt", notifiedBefore] }, notifiedBefore] };
      const pending = { ...notice, type: { $cond: [hasBegun, "continues", "begun"] } };
      const update = [
        {
          $set: {
            text: { $literal: text },
            updatedAt: at,
            pending: { $cond: [isDue, pending, "$pending"] },
            sendAt: { $cond: [isDue, at, "$sendAt"] },
            notifiedAt: { $cond: [isDue, at, "$notifiedAt"] },
            since: { $ifNull: ["$since", at] },
          },
        },
      ];
      try {
        await conditions.updateOne({ _id: id }, update, { upsert: true });
      } catch (error) {
        // Another process has recorded it first.
        if (!isDuplicate(error)) throw error;
      }
    },
    /** Conditions that apply. */
    listApplying: (limit: number) =>
      conditions
        .find({ since: { $exists: true } })
        .sort({ since: 1 })
        .limit(limit)
        .toArray(),
    /** Records that a condition no longer applies. Its end is told if its beginning was. */
    async end(
      { _id, since, notifiedAt }: OperatorConditionDoc,
      notice: Omit<OperatorNotice, "type">,
    ): Promise<void> {
      const isTold = since !== undefined && notifiedAt !== undefined && notifiedAt >= since;
      await conditions.updateOne(
        { _id, since },
        {
          $unset: { since: true },
          $set: {
            updatedAt: notice.at,
            ...(isTold && { pending: { ...notice, type: "ended" as const }, sendAt: notice.at }),
          },
        },
      );
    },
    /** Takes a notice that is to be sent; another process gets it if it is not sent within minutes. */
    takePending: (now: Date) =>
      conditions.findOneAndUpdate(
        { sendAt: { $lte: now } },
        { $set: { sendAt: new Date(now.getTime() + claimMs) } },
        { sort: { sendAt: 1 }, returnDocument: "after" },
      ),
    async noteMailed(id: string, noticeId: string): Promise<void> {
      await conditions.updateOne({ _id: id, "pending.id": noticeId }, { $set: { "pending.mailed": true } });
    },
    async noteSent(id: string, noticeId: string): Promise<void> {
      await conditions.updateOne(
        { _id: id, "pending.id": noticeId },
        { $unset: { pending: true, sendAt: true } },
      );
    },
    /** Removes a slice of conditions that have not applied since a time; returns how many were removed. */
    removeBefore: (date: Date) =>
      removeSlice(conditions, { updatedAt: { $lt: date }, since: { $exists: false } }),
  }),
});
