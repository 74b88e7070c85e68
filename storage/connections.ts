/**
 * Connections of organizations to code repositories, at most one each. Requests are counted by an increasing number
 * (`wanted`), and completed work by another (`done`): any number of requests are answered by one sync, and none is
 * lost.
 */
import type { Collection, UpdateFilter } from "mongodb";
import type { HostKind } from "../contract/vocabulary.ts";
import { defineCollection } from "./collection.ts";
import { alive, type ConnectionDoc } from "./connections/document.ts";
import { leaseOperations } from "./connections/leases.ts";
import { requestOperations } from "./connections/requests.ts";
import { withoutOutbox, outboxUpdate, type EventRow } from "./outbox.ts";

export type { RequestCause } from "./connections/cause.ts";
export { type ConnectionDoc, type ConnectionHost } from "./connections/document.ts";

export const connectionsCollection = defineCollection({
  name: "connections",
  indexes: [
    { key: { tenantId: 1 }, unique: true, name: "tenant_connection" },
    { key: { repositoryKey: 1, branch: 1 }, unique: true, name: "connected_branch" },
    { key: { "host.kind": 1, "host.repositoryId": 1, _id: 1 } },
    { key: { dueAt: 1 }, sparse: true },
    { key: { pollAt: 1 } },
    { key: { status: 1, _id: 1 } },
  ],
  outbox: true,
  open: (connections: Collection<ConnectionDoc>) => ({
    find: (id: string) => connections.findOne({ _id: id }, withoutOutbox),
    findOfTenant: (tenantId: string) => connections.findOne({ tenantId }, withoutOutbox),
    listByIds: (ids: readonly string[]) =>
      connections.find({ _id: { $in: [...ids] } }, withoutOutbox).toArray(),
    listOfTenants: (tenantIds: readonly string[], limit: number) =>
      connections
        .find({ tenantId: { $in: [...tenantIds] }, ...alive }, withoutOutbox)
        .limit(limit)
        .toArray(),
    /** The parts of organizations' connections that change with each sync. */
    listStates: (tenantIds: readonly string[]) =>
      connections
        .find(
          { tenantId: { $in: [...tenantIds] } },
          {
            projection: { tenantId: 1, status: 1, wanted: 1, done: 1, failures: 1, fence: 1, lastSyncAt: 1 },
          },
        )
        .toArray(),
    /** Whether any organization has connected this branch. */
    isConnected: async (repositoryKey: string, branch: string): Promise<boolean> =>
      (await connections.findOne({ repositoryKey, branch }, { projection: { _id: 1 } })) !== null,
    /** Connections to any branch of a repository. */
    listOfRepository: (kind: HostKind, repositoryId: string, limit = 100) =>
      connections
        .find({ "host.kind": kind, "host.repositoryId": repositoryId, ...alive }, withoutOutbox)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /**
     * All connections by status in descending order of names, so that "active" comes last; newest first in a status.
     */
    list: (after: Pick<ConnectionDoc, "status" | "_id"> | undefined, limit: number) =>
      connections
        .find(
          after
            ? {
                status: { $lte: after.status },
                $or: [{ status: { $ne: after.status } }, { _id: { $lt: after._id } }],
              }
            : {},
          withoutOutbox,
        )
        .sort({ status: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    ...requestOperations(connections),
    ...leaseOperations(connections),
    /** Clears the number of erasures after the mirror was recreated, unless there were more since. */
    async clearErasures(id: string, erasures: number): Promise<void> {
      await connections.updateOne({ _id: id, erasures }, { $unset: { erasures: true } });
    },

    /** Changes `goneConnector`. False if another process has changed it concurrently. */
    async noteGoneConnector(id: string, from: string | undefined, to: string | undefined): Promise<boolean> {
      const noted = await connections.updateOne(
        { _id: id, goneConnector: from ?? { $exists: false } },
        to === undefined ? { $unset: { goneConnector: true } } : { $set: { goneConnector: to } },
      );
      return noted.matchedCount === 1;
    },
    /** Updates the display name of the repository at the host. */
    async rename(id: string, { fullName, url }: { fullName: string; url: string }): Promise<void> {
      await connections.updateOne({ _id: id }, { $set: { "host.fullName": fullName, "host.url": url } });
    },
    async noteUnreadableDelivery(id: string, at: Date | undefined): Promise<void> {
      const update = at ? { $set: { unreadableDeliveryAt: at } } : { $unset: { unreadableDeliveryAt: true } };
      await connections.updateOne({ _id: id }, update as UpdateFilter<ConnectionDoc>);
    },
    /** Sets when the registration of the webhook is retried. */
    async retryWebhook(id: string, at: Date): Promise<void> {
      await connections.updateOne({ _id: id }, { $set: { webhookAt: at } });
    },
    /** False if the connection is being ended. */
    async setWebhook(id: string, webhook: { id: string; secret: string }, renewAt: Date): Promise<boolean> {
      const update = { $set: { webhook, webhookAt: renewAt } };
      return (await connections.updateOne({ _id: id, ...alive }, update)).matchedCount === 1;
    },
    /**
     * Begins the end of a connection: no further sync starts. The credential is kept until the webhook is removed.
     * Returns null if there is no connection or it is already being ended.
     */
    disconnect: (tenantId: string, now: Date, events: EventRow[]) => {
      const outbox = outboxUpdate(events);
      return connections.findOneAndUpdate(
        { tenantId, ...alive },
        {
          $set: { status: "disconnecting", updatedAt: now, ...outbox.$set },
          $unset: { dueAt: true, problem: true },
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Connections that are being ended, with their outboxes. */
    listDisconnecting: (limit: number) =>
      connections.find({ status: "disconnecting" }).limit(limit).toArray(),
    async removeDisconnected(id: string): Promise<void> {
      await connections.deleteOne({ _id: id, status: "disconnecting" });
    },
  }),
});
