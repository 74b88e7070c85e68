/**
 * State of each member's personal workspace. The workspace itself is a managed folder of the tree; a row tracks its
 * provisioning and can be restored from members and tree.
 */
import type { Collection, Filter } from "mongodb";
import type { WorkspaceState } from "../../contract/vocabulary.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import {
  withoutOutbox,
  clearOutboxes,
  isOnlyThereAlready,
  outboxOperations,
  outboxUpdate,
  type EventRow,
  type WithOutbox,
} from "../outbox.ts";
export interface WorkspaceDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  userId: string;
  state: WorkspaceState;
  /**
   * Id of the folder, chosen with the row, so that interrupted provisioning continues with the same folder and
   * reserved name.
   */
  folderId: string;
  /** Number of provisioning attempts. */
  attempts: number;
  /** Reason for the state `failed`, as a sentence. */
  error?: string;
  /** Start of its deletion. */
  deletingSince?: Date;
  createdAt: Date;
  updatedAt: Date;
}
export interface WorkspaceQuery {
  tenantId: string;
  state?: WorkspaceState;
  /** Id of the last row of the previous page. */
  after?: string;
  limit: number;
}

export const workspacesCollection = defineCollection({
  name: "workspaces",
  indexes: [
    { key: { tenantId: 1, userId: 1 }, unique: true, name: "workspace_member" },
    { key: { tenantId: 1, _id: 1 } },
    { key: { tenantId: 1, state: 1, _id: 1 } },
    { key: { userId: 1 } },
    { key: { deletingSince: 1 }, sparse: true },
    { key: { pendingSince: 1 }, sparse: true },
  ],
  open: (workspaces: Collection<WorkspaceDoc>) => ({
    /** Inserts rows, except for members who have one. */
    async insertNew(rows: WorkspaceDoc[]): Promise<void> {
      if (rows.length === 0) return;
      try {
        await workspaces.insertMany(rows, { ordered: false });
      } catch (error) {
        if (!isOnlyThereAlready(error, "workspace_member")) throw error;
      }
    },
    find: (tenantId: string, userId: string) => workspaces.findOne({ tenantId, userId }, withoutOutbox),
    /** Rows with their outbox. */
    listByIds: (ids: string[]) => workspaces.find({ _id: { $in: ids } }).toArray(),
    listByUserIds: (tenantId: string, userIds: string[]) =>
      workspaces.find({ tenantId, userId: { $in: userIds } }, withoutOutbox).toArray(),
    /** A user's workspaces in all organizations. */
    listOfUser: (userId: string) => workspaces.find({ userId }, withoutOutbox).toArray(),
    list({ tenantId, state, after, limit }: WorkspaceQuery): Promise<WorkspaceDoc[]> {
      const filter: Filter<WorkspaceDoc> = { tenantId };
      if (state !== undefined) filter.state = state;
      if (after !== undefined) filter._id = { $gt: after };
      return workspaces.find(filter, withoutOutbox).sort({ _id: 1 }).limit(limit).toArray();
    },
    /** Failed workspaces of organizations, and a user's own in others. */
    listFailed(
      tenantIds: readonly string[],
      own: { userId: string | undefined; tenantIds: readonly string[] },
      limit: number,
    ): Promise<WorkspaceDoc[]> {
      const filters: Filter<WorkspaceDoc>[] = [{ tenantId: { $in: [...tenantIds] }, state: "failed" }];
      if (own.userId !== undefined)
        filters.push({ tenantId: { $in: [...own.tenantIds] }, userId: own.userId, state: "failed" });
      return workspaces.find({ $or: filters }, withoutOutbox).limit(limit).toArray();
    },
    async countStates(tenantId: string): Promise<Map<WorkspaceState, number>> {
      const rows = await workspaces
        .aggregate<{ _id: WorkspaceState; count: number }>([
          { $match: { tenantId } },
          { $group: { _id: "$state", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map((row) => [row._id, row.count]));
    },

    /** Schedules rows again that are in one of the states; others are unchanged. */
    async reschedule(
      changes: { id: string; events: EventRow[] }[],
      from: WorkspaceState[],
      now: Date,
    ): Promise<number> {
      if (changes.length === 0) return 0;
      const result = await workspaces.bulkWrite(
        changes.map(({ id, events }) => {
          const outbox = outboxUpdate(events);
          return {
            updateOne: {
              filter: { _id: id, state: { $in: from } },
              update: {
                $set: { state: "scheduled", updatedAt: now, ...(events.length > 0 ? outbox.$set : {}) },
                $unset: { error: true },
                $push: outbox.$push,
              },
            },
          };
        }),
        { ordered: false },
      );
      return result.modifiedCount;
    },
    /** Returns the number of rows that were still waiting. */
    async markProvisioned(made: { id: string; folderId: string }[], now: Date): Promise<number> {
      if (made.length === 0) return 0;
      const result = await workspaces.bulkWrite(
        made.map(({ id, folderId }) => ({
          updateOne: {
            filter: { _id: id, state: { $in: ["scheduled", "failed"] } },
            update: {
              $set: { state: "provisioned", folderId, updatedAt: now },
              $unset: { error: true },
              $inc: { attempts: 1 },
            },
          },
        })),
        { ordered: false },
      );
      return result.modifiedCount;
    },
    async markFailed(failed: { id: string; error: string }[], now: Date): Promise<void> {
      if (failed.length === 0) return;
      await workspaces.bulkWrite(
        failed.map(({ id, error }) => ({
          updateOne: {
            filter: { _id: id, state: "scheduled" },
            update: { $set: { state: "failed", error, updatedAt: now }, $inc: { attempts: 1 } },
          },
        })),
        { ordered: false },
      );
    },
    /** Keeps the workspaces of former members, which the organization can reassign or delete. */
    async markLeft(tenantId: string, userIds: string[], now: Date): Promise<void> {
      await workspaces.updateMany(
        { tenantId, userId: { $in: userIds }, state: { $in: ["scheduled", "provisioned", "failed"] } },
        { $set: { state: "left", updatedAt: now }, $unset: { error: true } },
      );
    },
    /** Returns null if its owner has not left. */
    markDeleting: (id: string, now: Date, events: EventRow[]) =>
      changeOf(workspaces, { state: "left" })(id, {
        set: { state: "deleting", deletingSince: now },
        now,
        events,
      }),
    listDeleting: (before: Date, limit: number) =>
      workspaces
        .find({ deletingSince: { $lt: before } }, withoutOutbox)
        .limit(limit)
        .toArray(),
    /** The row with its outbox. */
    findDeleting: (tenantId: string, userId: string) =>
      workspaces.findOne({ tenantId, userId, state: "deleting" }),
    /** Removes a row that is still in this state. */
    async remove(id: string, state: WorkspaceState): Promise<void> {
      await workspaces.deleteOne({ _id: id, state });
    },
    ...outboxOperations(workspaces),
    clearOutboxes: (rows: { id: string; eventIds: string[] }[]) => clearOutboxes(workspaces, rows),
  }),
});
