/** Pending sign-ins of devices (RFC 8628). */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface DeviceCodeDoc {
  _id: string;
  /** SHA-256 of the device code. */
  secretHash: string;
  /** User code without its hyphen. */
  userCode: string;
  /** Name of the device, as the client reports it. */
  hostname?: string;
  /** Hash of the client's machine id: a login replaces earlier ones of the same machine. */
  machine?: string;
  /** Address of the requester, encrypted with this record's id; removed at the decision or when the code expires. */
  sealedAddress?: string;
  /** `pending` → `approved` or `denied` by a person; `approved` → `redeemed` once its token exists. */
  state: "pending" | "approved" | "denied" | "redeemed";
  /** User who approved it. */
  userId?: string;
  /** Epochs of that account at the approval, whose session was checked against them. Absent is 0. */
  epochs?: { session: number; token: number };
  /** `verifiedAt` of the session that approved it. */
  verifiedAt?: Date;
  /** Id of the token that a poll creates: chosen at approval, so that only one poll can create it. */
  tokenId?: string;
  /** Minimum number of seconds between two polls. */
  intervalSeconds: number;
  lastPolledAt?: Date;
  createdAt: Date;
  expiresAt: Date;
}

export const deviceCodesCollection = defineCollection({
  name: "device_codes",
  indexes: [
    { key: { secretHash: 1 }, unique: true, name: "device_secret" },
    { key: { userCode: 1 }, unique: true, name: "device_user_code" },
    { key: { expiresAt: 1 } },
  ],
  open: (codes: Collection<DeviceCodeDoc>) => ({
    findBySecret: (secretHash: string) => codes.findOne({ secretHash }),
    findPending: (userCode: string, now: Date) =>
      codes.findOne({ userCode, state: "pending", expiresAt: { $gt: now } }),

    /**
     * Records a poll of a pending code. A poll within the interval minus `toleranceMs` extends it by `penaltySeconds`.
     * Returns the record before the change, or undefined if it is no longer pending.
     */
    async notePoll(
      id: string,
      now: Date,
      rule: { toleranceMs: number; penaltySeconds: number },
    ): Promise<DeviceCodeDoc | null> {
      const intervalMs = { $subtract: [{ $multiply: ["$intervalSeconds", 1000] }, rule.toleranceMs] };
      const tooSoon = {
        $gt: [{ $ifNull: ["$lastPolledAt", new Date(0)] }, { $subtract: [now, intervalMs] }],
      };
      return codes.findOneAndUpdate(
        { _id: id, state: "pending" },
        [
          {
            $set: {
              intervalSeconds: {
                $cond: [tooSoon, { $add: ["$intervalSeconds", rule.penaltySeconds] }, "$intervalSeconds"],
              },
              lastPolledAt: now,
            },
          },
        ],
        { returnDocument: "before" },
      );
    },

    /** Approves or denies a pending code, once. Null if no code with this user code can be decided. */
    async decide(
      userCode: string,
      decision:
        | (Required<Pick<DeviceCodeDoc, "userId" | "tokenId" | "epochs">> &
            Pick<DeviceCodeDoc, "verifiedAt"> & { state: "approved" })
        | { state: "denied" },
      now: Date,
    ): Promise<DeviceCodeDoc | null> {
      return codes.findOneAndUpdate(
        { userCode, state: "pending", expiresAt: { $gt: now } },
        { $set: decision, $unset: { sealedAddress: "" } },
        { returnDocument: "after" },
      );
    },
    async markRedeemed(id: string): Promise<void> {
      await codes.updateOne({ _id: id }, { $set: { state: "redeemed" } });
    },

    /** Removes the addresses of expired codes, and up to `slice` codes that expired before a time. */
    async removeLapsed(now: Date, before: Date, slice = 1000): Promise<number> {
      await codes.updateMany(
        { expiresAt: { $lte: now }, sealedAddress: { $exists: true } },
        { $unset: { sealedAddress: "" } },
      );
      return removeSlice(codes, { expiresAt: { $lte: before } }, slice);
    },
  }),
});
