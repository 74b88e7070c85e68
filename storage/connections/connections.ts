/**
 * Connections of organizations to code repositories, at most one each. Requests are counted by an increasing number
 * (`wanted`), and completed work by another (`done`): any number of requests are answered by one sync, and none is
 * lost.
 */
import type { Collection } from "mongodb";
import type { HostKind } from "../../contract/vocabulary.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { withoutOutbox, outboxUpdate, type EventRow } from "../outbox.ts";
import { alive, type ConnectionDoc } from "./document.ts";
import { leaseOperations } from "./leases.ts";
import { requestOperations } from "./requests.ts";

export type { RequestCause } from "./cause.ts";
export { type ConnectionDoc, type ConnectionHost } from "./document.ts";

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
    /** Also changes a connection that is being ended. */
    change: changeOf(connections, {}, withoutOutbox.projection),
    /** Changes `goneConnector`. Null if another process has changed it concurrently. */
    noteGoneConnector: (id: string, from: string | undefined, to: string | undefined) =>
      changeOf(connections, { goneConnector: from ?? { $exists: false } })(id, {
        patch: { goneConnector: to ?? null },
      }),
    /** Has no effect if the connection is being ended. */
    setWebhook: (id: string, webhook: { id: string; secret: string }, webhookAt: Date) =>
      changeOf(connections, alive)(id, { set: { webhook, webhookAt } }),
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
