/** Registered MCP servers of organizations. */
import type { Collection, Filter } from "mongodb";
import type { McpServerConfig } from "../../contract/mcp-servers.ts";
import type { McpServerSource } from "../../contract/vocabulary.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { escapePattern } from "../escape-pattern.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox, type EventRow } from "../outbox.ts";

export interface McpServerDoc extends NamedDoc {
  publicId: string;
  /** Unique in the organization, as `nameKey`; it never changes. */
  slug: string;
  description: string;
  config: McpServerConfig;
  folderId: string | null;
  source: McpServerSource;
  /** Name, version and origin in the catalog from which it was imported. */
  catalog?: { name: string; version: string; origin: string };
  /** An unedited import, whose configuration follows the catalog. */
  follows?: boolean;
  /** A deleted server that anyone could read: its name is kept for a while, for registries that read changes. */
  tombstone?: true;
}

/** Sort values of the last server of the previous page. */
export interface McpServerCursor {
  slug: string;
  id: string;
}

export interface McpServerFilter {
  /** In the slug, name or description, without regard to case. */
  text?: string;
  revision?: number;
  /** Changed at this time or later. */
  since?: Date;
  /** Tombstones too, which have no configuration. */
  deleted?: boolean;
}

const inOrder = { slug: 1, _id: 1 } as const;

export const mcpServersCollection = defineCollection({
  name: "mcp_servers",
  indexes: [
    ...namedIndexes("mcp_server_slug"),
    {
      key: { publicId: 1 },
      unique: true,
      name: "mcp_server_public_id",
      partialFilterExpression: { active: true },
    },
    { key: { tenantId: 1, ...inOrder } },
    { key: { slug: 1, tenantId: 1 } },
    {
      key: { follows: 1, _id: 1 },
      name: "mcp_server_follows",
      partialFilterExpression: { follows: true },
    },
  ],
  outbox: true,
  open: openMcpServers,
});

function openMcpServers(servers: Collection<McpServerDoc>) {
  const findActive = (filter: Filter<McpServerDoc>) =>
    servers.findOne({ ...filter, active: true }, { ...withoutOutbox, maxTimeMS: commandTimeMs });
  return {
    ...namedOperations(servers),
    findById: (id: string) => findActive({ _id: id }),
    findByPublicId: (publicId: string) => findActive({ publicId }),
    findBySlug: (tenantId: string, slug: string) => findActive({ tenantId, slug }),
    /** Servers with a slug in some organizations. */
    listBySlug: (tenantIds: readonly string[], slug: string) =>
      servers
        .find({ slug, tenantId: { $in: [...tenantIds] }, active: true }, withoutOutbox)
        .sort(inOrder)
        .toArray(),
    listBySlugs: (tenantId: string, slugs: readonly string[]) =>
      servers.find({ tenantId, slug: { $in: [...slugs] }, active: true }, withoutOutbox).toArray(),
    /** Servers of some organizations in the order of their slugs. */
    list: (tenantIds: readonly string[], after: McpServerCursor | undefined, limit: number) =>
      servers
        .find(
          { tenantId: { $in: [...tenantIds] }, active: true, ...beyond(after) },
          { ...withoutOutbox, maxTimeMS: commandTimeMs },
        )
        .sort(inOrder)
        .limit(limit)
        .toArray(),
    /** Servers of an organization that match a filter, in the order of their slugs. */
    listMatching: (
      tenantId: string,
      filter: McpServerFilter,
      after: McpServerCursor | undefined,
      limit: number,
    ) =>
      servers
        .find(
          { $and: [{ tenantId }, matching(filter), beyond(after)] },
          { ...withoutOutbox, maxTimeMS: commandTimeMs },
        )
        .sort(inOrder)
        .limit(limit)
        .toArray(),
    /** Number of servers in some folders of an organization. */
    countIn: (tenantId: string, folderIds: readonly string[]) =>
      servers.countDocuments({ tenantId, folderId: { $in: [...folderIds] }, active: true }),
    /** Imports that follow the catalog, in the order of their ids. */
    listFollowing: (after: string, limit: number) =>
      servers
        .find({ follows: true, _id: { $gt: after }, active: true }, withoutOutbox)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Deletes a server, with or without a tombstone. Null if it was deleted already. */
    markDeleted: (id: string, leavesTombstone: boolean, now: Date, events: EventRow[]) => {
      const kept = { tombstone: true, updatedAt: now, folderId: null, description: "" } as const;
      return changeOf(servers, { active: true })(id, {
        set: { removedAt: now, ...(leavesTombstone ? kept : {}) },
        unset: ["active", ...(leavesTombstone ? ["config", "catalog", "follows"] : [])],
        events,
      });
    },
    /**
     * Removes deleted servers whose events are in the log, and tombstones from before a time. Returns how many were
     * removed.
     */
    removeEnded: (tombstonesBefore: Date) =>
      removeSlice(servers, {
        removedAt: { $exists: true },
        pendingSince: { $exists: false },
        $or: [{ tombstone: { $exists: false } }, { removedAt: { $lt: tombstonesBefore } }],
      }),
  };
}

function beyond(after: McpServerCursor | undefined): Filter<McpServerDoc> {
  if (!after) return {};
  const { slug, id } = after;
  return { $or: [{ slug: { $gt: slug } }, { slug, _id: { $gt: id } }] };
}

function matching({ text, revision, since, deleted }: McpServerFilter): Filter<McpServerDoc> {
  const contains = text === undefined ? undefined : { $regex: escapePattern(text), $options: "i" };
  return {
    $and: [deleted ? { $or: [{ active: true }, { tombstone: true }] } : { active: true }],
    ...(contains ? { $or: [{ slug: contains }, { name: contains }, { description: contains }] } : {}),
    revision,
    updatedAt: since ? { $gte: since } : undefined,
  };
}
