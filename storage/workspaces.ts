/**
 * Personal workspaces: whether an organization has them, and how far each member's is. What a workspace is lies in the
 * folder tree (`managed`); a row here says what is to be done about it, and can be made again from members and tree.
 */
import type { Filter, IndexDescription } from "mongodb";
import type { WorkspaceState } from "../contract/vocabulary.ts";
import type { Database } from "./database.ts";
import {
  isOnlyThereAlready,
  outboxUpdate,
  listUnsettled,
  outboxOperations,
  settleOutbox,
  settleOutboxes,
  type EventRow,
  type WithOutbox,
} from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface WorkspaceSettingsDoc extends WithOutbox {
  /** The organization's id. */
  _id: string;
  enabled?: true;
  /** Members who joined before this are the backfill's; the others are scheduled one by one. */
  enabledAt: Date;
  updatedAt: Date;
}

export interface WorkspaceDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  userId: string;
  state: WorkspaceState;
  /**
   * Of the folder, chosen with the row: provisioning that is stopped anywhere goes on with the same folder and the
   * name that it has taken.
   */
  folderId: string;
  /** How often provisioning was tried. */
  attempts: number;
  /** With `failed`: why, in a sentence. */
  error?: string;
  /** Since when it is being deleted. */
  deletingSince?: Date;
  createdAt: Date;
  updatedAt: Date;
}

export const workspaceSettingsIndexes: IndexDescription[] = [
  { key: { enabled: 1, _id: 1 }, partialFilterExpression: { enabled: true }, name: "workspaces_enabled" },
  { key: { unsettledAt: 1 }, sparse: true },
];
export const workspaceIndexes: IndexDescription[] = [
  { key: { tenantId: 1, userId: 1 }, unique: true, name: "workspace_member" },
  { key: { tenantId: 1, _id: 1 } },
  { key: { tenantId: 1, state: 1, _id: 1 } },
  { key: { userId: 1 } },
  { key: { deletingSince: 1 }, sparse: true },
  { key: { unsettledAt: 1 }, sparse: true },
];

export interface WorkspaceQuery {
  tenantId: string;
  state?: WorkspaceState | undefined;
  /** Id of the last row of the page before. */
  after?: string | undefined;
  limit: number;
}

export type Workspaces = ReturnType<typeof openWorkspaces>;

export function openWorkspaces(database: Database) {
  const settings = database.collection<WorkspaceSettingsDoc>("workspace_settings");
  const workspaces = database.collection<WorkspaceDoc>("workspaces");
  const withoutOutbox = { projection: { outbox: 0 } } as const;
  return {
    findSettings: (tenantId: string) => settings.findOne({ _id: tenantId }, withoutOutbox),
    /** False when they are enabled already. */
    async enable(tenantId: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      try {
        await settings.updateOne(
          { _id: tenantId, enabled: { $exists: false } },
          {
            $set: { enabled: true, enabledAt: now, updatedAt: now, ...outbox.$set },
            $push: outbox.$push,
          },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // Where the filter passes the document over, the upsert meets its id.
        if (!isOnlyThereAlready(error)) throw error;
        return false;
      }
    },
    /** False when they are not enabled. */
    async disable(tenantId: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await settings.updateOne(
        { _id: tenantId, enabled: true },
        { $set: { updatedAt: now, ...outbox.$set }, $unset: { enabled: true }, $push: outbox.$push },
      );
      return result.modifiedCount === 1;
    },
    /** A slice of the organizations that have them enabled, in order of their ids. */
    async listEnabled(after: string, limit: number): Promise<string[]> {
      const rows = await settings
        .find({ enabled: true, _id: { $gt: after } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },
    listUnsettledSettings: (before: Date, limit: number) => listUnsettled(settings, before, limit),
    settleSettings: (tenantId: string, eventIds: string[]) => settleOutbox(settings, tenantId, eventIds),

    /** Adds rows; a member who has one keeps it. */
    async insertNew(rows: WorkspaceDoc[]): Promise<void> {
      if (rows.length === 0) return;
      try {
        await workspaces.insertMany(rows, { ordered: false });
      } catch (error) {
        if (!isOnlyThereAlready(error, "workspace_member")) throw error;
      }
    },
    find: (tenantId: string, userId: string) => workspaces.findOne({ tenantId, userId }, withoutOutbox),
    /** With what they carry. */
    listByIds: (ids: string[]) => workspaces.find({ _id: { $in: ids } }).toArray(),
    listByUserIds: (tenantId: string, userIds: string[]) =>
      workspaces.find({ tenantId, userId: { $in: userIds } }, withoutOutbox).toArray(),
    /** A person's workspaces in every organization. */
    listOfUser: (userId: string) => workspaces.find({ userId }, withoutOutbox).toArray(),
    list({ tenantId, state, after, limit }: WorkspaceQuery): Promise<WorkspaceDoc[]> {
      const filter: Filter<WorkspaceDoc> = { tenantId };
      if (state !== undefined) filter.state = state;
      if (after !== undefined) filter._id = { $gt: after };
      return workspaces.find(filter, withoutOutbox).sort({ _id: 1 }).limit(limit).toArray();
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

    /** Has rows provisioned again that are in one of these states; the others stay as they are. */
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
    /** Answers how many of them still waited for it. */
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
    /** Keeps the workspaces of members who have left for the organization to decide about. */
    async markLeft(tenantId: string, userIds: string[], now: Date): Promise<void> {
      await workspaces.updateMany(
        { tenantId, userId: { $in: userIds }, state: { $in: ["scheduled", "provisioned", "failed"] } },
        { $set: { state: "left", updatedAt: now }, $unset: { error: true } },
      );
    },
    /** False when it is not that of somebody who has left. */
    async markDeleting(id: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await workspaces.updateOne(
        { _id: id, state: "left" },
        {
          $set: { state: "deleting", deletingSince: now, updatedAt: now, ...outbox.$set },
          $push: outbox.$push,
        },
      );
      return result.modifiedCount === 1;
    },
    listDeleting: (before: Date, limit: number) =>
      workspaces
        .find({ deletingSince: { $lt: before } }, withoutOutbox)
        .limit(limit)
        .toArray(),
    /** With what it carries. */
    findDeleting: (tenantId: string, userId: string) =>
      workspaces.findOne({ tenantId, userId, state: "deleting" }),
    /** Removes a row that is still in this state. */
    async remove(id: string, state: WorkspaceState): Promise<void> {
      await workspaces.deleteOne({ _id: id, state });
    },
    removeOfTenant: async (tenantId: string): Promise<number> => {
      await settings.deleteOne({ _id: tenantId });
      return removeSlice(workspaces, { tenantId });
    },

    ...outboxOperations(workspaces),
    settleAll: (rows: { id: string; eventIds: string[] }[]) => settleOutboxes(workspaces, rows),
  };
}
