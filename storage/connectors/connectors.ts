/**
 * Hosted connectors: a user's connection to one remote MCP server. The credentials are part of the document, so that
 * they end with it. Reads leave them out, except those whose type says so.
 */
import type { Collection, Filter } from "mongodb";
import type { ConnectorProblem, StoredConnectionStatus } from "../../contract/vocabulary.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import type { Database } from "../database.ts";
import { batchedLookup } from "../lookups/batched-lookup.ts";
import { removeSlice } from "../maintenance/slices.ts";
import type { McpServerDoc } from "../mcp/servers.ts";
import type { TenantDoc } from "../organizations/tenants.ts";
import type { EventRow, WithOutbox } from "../outbox.ts";

/** Parts of the credentials, each encrypted for itself. */
export const vaultFields = ["variables", "client", "tokens", "flow"] as const;
export type VaultField = (typeof vaultFields)[number];

/** Encrypted credentials. `dataKey` encrypts the fields, and is sealed by the key of `SECRET_KEYS` named `keyId`. */
export interface Vault {
  keyId: string;
  dataKey: string;
  fields: { [F in VaultField]?: string };
}

export interface ConnectorDoc extends WithOutbox {
  _id: string;
  publicId: string;
  /** Prefix of the tools, unique for the user. */
  slug: string;
  tenantId: string;
  serverId: string;
  userId: string;
  /** Slot of the user, from 0 up to `limits.connectorsPerUser`. */
  slot: number;
  active?: true;
  status: StoredConnectionStatus;
  problem?: ConnectorProblem;
  /** Number of changes of the credentials; a write names the revision that its writer has read. */
  revision: number;
  /** Number of times that the user has connected; clients of earlier ones are closed. */
  credentialsRevision: number;
  /** Names of the values that the user has supplied. */
  supplied?: string[];
  /** The server's address that the user has approved; credentials are never sent to another. */
  approvedAddress?: string;
  /** Issuer of the tokens. */
  issuer?: string;
  /** The authorization that the user has begun; `sessionId` is the session that may complete it. */
  flow?: { stateHash: string; sessionId: string; expiresAt: Date };
  /** Lease of the process that renews the tokens. */
  renewal?: { holder: string; until: Date };
  vault?: Vault;
  createdAt: Date;
  updatedAt: Date;
  lastUsedAt?: Date;
  removedAt?: Date;
}

const whileActive = { partialFilterExpression: { active: true } } as const;

/** A connector with its credentials. */
export type ConnectorWithSecrets = ConnectorDoc;
export type PublicConnector = Omit<ConnectorDoc, "vault" | "outbox">;

/** A connector with the facts that decide about its use. */
export interface ConnectorToUse {
  connector: PublicConnector;
  server: McpServerDoc | undefined;
  tenant: TenantDoc | undefined;
}

/** All connectors of a user, of a member of an organization, of an organization or of a server. */
export type ConnectorOwner =
  | { userId: string }
  | { tenantId: string; userId: string }
  | { tenantId: string }
  | { serverId: string };

const withoutSecrets = { projection: { vault: 0, outbox: 0 } } as const;

const keyOf = (userId: string, slug: string) => `${userId} ${slug}`;

function toUse({
  server: [server],
  tenant: [tenant],
  ...connector
}: PublicConnector & { server: McpServerDoc[]; tenant: TenantDoc[] }): ConnectorToUse {
  return {
    connector,
    server: server?.active ? server : undefined,
    tenant: tenant?.erasedAt === undefined ? tenant : undefined,
  };
}

export const connectorsCollection = defineCollection({
  name: "connectors",
  indexes: [
    { key: { userId: 1, serverId: 1 }, unique: true, name: "connector_server", ...whileActive },
    { key: { userId: 1, slot: 1 }, unique: true, name: "connector_slot", ...whileActive },
    { key: { userId: 1, slug: 1 }, unique: true, name: "connector_slug", ...whileActive },
    { key: { publicId: 1 }, unique: true, name: "connector_public_id", ...whileActive },
    { key: { "flow.stateHash": 1 }, sparse: true },
    { key: { tenantId: 1, userId: 1 } },
    { key: { serverId: 1 } },
    { key: { "vault.keyId": 1 }, sparse: true },
    { key: { removedAt: 1 }, sparse: true },
  ],
  outbox: true,
  open: openConnectors,
});

function openConnectors(connectors: Collection<ConnectorDoc>, database: Database) {
  const findKnown = (filter: Filter<ConnectorDoc>): Promise<PublicConnector | null> =>
    connectors.findOne({ ...filter, active: true }, withoutSecrets);
  const findWithServer = batchedLookup<ConnectorToUse>(async (keys) => {
    const owners = keys.map((key) => {
      const [userId = "", slug = ""] = key.split(" ");
      return { userId, slug, active: true as const };
    });
    const rows = await database.aggregate<PublicConnector & { server: McpServerDoc[]; tenant: TenantDoc[] }>(
      connectors.collectionName,
      [
        { $match: owners.length === 1 ? owners[0]! : { $or: owners } },
        { $project: withoutSecrets.projection },
        { $lookup: { from: "mcp_servers", localField: "serverId", foreignField: "_id", as: "server" } },
        { $lookup: { from: "tenants", localField: "tenantId", foreignField: "_id", as: "tenant" } },
        { $project: { "server.outbox": 0, "tenant.outbox": 0 } },
      ],
    );
    return new Map(rows.map((row) => [keyOf(row.userId, row.slug), toUse(row)]));
  });
  return {
    find: (id: string) => findKnown({ _id: id }),
    findByServer: (userId: string, serverId: string) => findKnown({ userId, serverId }),
    /** A user's connector by its slug. Concurrent calls share a query, and must not change what they get. */
    findWithServer: (userId: string, slug: string) => findWithServer(keyOf(userId, slug)),
    findByPublicId: (userId: string, publicId: string) => findKnown({ userId, publicId }),
    /** A connector with its encrypted credentials. */
    withSecrets: (id: string): Promise<ConnectorWithSecrets | null> =>
      connectors.findOne({ _id: id, active: true }),
    /** The connector whose authorization was begun with a state. */
    findByState: (stateHash: string) => findKnown({ "flow.stateHash": stateHash }),
    /** All connectors of a user, by slug. */
    listOfUser: (userId: string): Promise<PublicConnector[]> =>
      connectors.find({ userId, active: true }, withoutSecrets).sort({ slug: 1 }).toArray(),
    countOfTenant: (tenantId: string) => connectors.countDocuments({ tenantId, active: true }),
    countOfServer: (serverId: string) => connectors.countDocuments({ serverId, active: true }),
    /** Numbers of connectors by server of an organization. */
    countByServer: (tenantId: string) =>
      connectors
        .aggregate<{ _id: string; connectors: number }>([
          { $match: { tenantId, active: true } },
          { $group: { _id: "$serverId", connectors: { $sum: 1 } } },
        ])
        .toArray(),

    /** Changes a connector. Null if it was deleted or has changed since the revision. */
    change: changeOf<ConnectorDoc, PublicConnector>(connectors, { active: true }, withoutSecrets.projection),
    /** Takes the lease for the renewal of tokens. False while another process has it. */
    async takeRenewal(id: string, holder: string, until: Date, now: Date): Promise<boolean> {
      const result = await connectors.updateOne(
        {
          _id: id,
          active: true,
          $or: [{ renewal: { $exists: false } }, { "renewal.until": { $lte: now } }],
        },
        { $set: { renewal: { holder, until } } },
      );
      return result.modifiedCount === 1;
    },
    async endRenewal(id: string, holder: string): Promise<void> {
      await connectors.updateOne({ _id: id, "renewal.holder": holder }, { $unset: { renewal: "" } });
    },
    /**
     * Records how the last connection ended, unless the connector waits for its user or was connected again since.
     */
    async noteStatus(
      { _id, credentialsRevision }: Pick<ConnectorDoc, "_id" | "credentialsRevision">,
      problem: ConnectorProblem | undefined,
      now: Date,
    ): Promise<void> {
      const status = problem === undefined ? "connected" : "error";
      await connectors.updateOne(
        { _id, credentialsRevision, active: true, status: { $in: ["connected", "error"] } },
        {
          $set: { status, updatedAt: now, ...(problem ? { problem } : {}) },
          ...(problem ? {} : { $unset: { problem: "" } }),
        },
      );
    },
    /** Records that the user has to connect again. */
    async noteUnauthorized(
      { _id, credentialsRevision }: Pick<ConnectorDoc, "_id" | "credentialsRevision">,
      now: Date,
    ): Promise<void> {
      await connectors.updateOne(
        { _id, credentialsRevision, active: true, status: { $in: ["connected", "error"] } },
        { $set: { status: "needs_auth", problem: "unauthorized", updatedAt: now } },
      );
    },
    async noteUse(id: string, now: Date): Promise<void> {
      await connectors.updateOne({ _id: id, active: true }, { $set: { lastUsedAt: now } });
    },

    /** Deletes a connector with its credentials. Returns it as it was, or null if it was deleted already. */
    markRemoved: (id: string, now: Date, events: EventRow[]) =>
      changeOf(connectors, { active: true })(id, {
        set: { removedAt: now },
        unset: ["active", "vault", "flow", "issuer", "approvedAddress", "renewal"],
        events,
        returns: "before",
      }),
    /** Removes deleted connectors whose events are in the log; returns how many were removed. */
    removeEnded: () =>
      removeSlice(connectors, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
    /** Connectors of one owner, deleted ones included, with their credentials and unpublished events. */
    listOfOwner: (owner: ConnectorOwner, limit: number): Promise<ConnectorWithSecrets[]> =>
      connectors.find(owner).limit(limit).toArray(),
    async remove(ids: readonly string[]): Promise<void> {
      await connectors.deleteMany({ _id: { $in: [...ids] } });
    },
    /** Ids of servers with connectors, after an id. */
    listServerIds: async (after: string, limit: number): Promise<string[]> => {
      const rows = await connectors
        .aggregate<{ _id: string }>([
          { $match: { serverId: { $gt: after } } },
          { $sort: { serverId: 1 } },
          { $group: { _id: "$serverId" } },
          { $sort: { _id: 1 } },
          { $limit: limit },
        ])
        .toArray();
      return rows.map((row) => row._id);
    },
  };
}
