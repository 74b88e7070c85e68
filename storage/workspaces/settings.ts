/** Settings of personal workspaces, one document per organization that has ever enabled them. */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { listIds } from "../ids.ts";
import {
  withoutOutbox,
  isOnlyThereAlready,
  outboxUpdate,
  type EventRow,
  type WithOutbox,
} from "../outbox.ts";

export interface WorkspaceSettingsDoc extends WithOutbox {
  /** The organization's id. */
  _id: string;
  enabled?: true;
  /** Members who joined before this belong to the backfill; others are scheduled one by one. */
  enabledAt: Date;
  updatedAt: Date;
}

export const workspaceSettingsCollection = defineCollection({
  name: "workspace_settings",
  indexes: [
    { key: { enabled: 1, _id: 1 }, partialFilterExpression: { enabled: true }, name: "workspaces_enabled" },
  ],
  outbox: true,
  open: (settings: Collection<WorkspaceSettingsDoc>) => ({
    find: (tenantId: string) => settings.findOne({ _id: tenantId }, withoutOutbox),
    /** Returns false if they are enabled already. */
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
        // If the filter skips the document, the upsert fails with a duplicate id.
        if (!isOnlyThereAlready(error)) throw error;
        return false;
      }
    },
    /** Returns null if they are not enabled. */
    disable: (tenantId: string, now: Date, events: EventRow[]) =>
      changeOf(settings, { enabled: true })(tenantId, { unset: ["enabled"], now, events }),
    /** A slice of the organizations that enabled them at any time, in order of their ids. */
    listTenants: (after: string, limit: number) =>
      listIds(settings, { _id: { $gt: after } }, { sort: { _id: 1 }, limit }),
    async remove(tenantId: string): Promise<void> {
      await settings.deleteOne({ _id: tenantId });
    },
  }),
});
