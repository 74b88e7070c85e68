/** Organizations: the tenants that own skills. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { batchedLookup, oneOf } from "./lookups/batched-lookup.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";

export interface TenantDoc extends WithOutbox {
  _id: string;
  slug: string;
  /** The slug and former ones, newest first. All lead to this organization, and no other one can take them. */
  slugs: string[];
  name: string;
  description?: string;
  /**
   * Some of the owners, and at least one: an owner is removed from this list before they lose the role, and the last
   * one can't be removed.
   */
  ownerIds: string[];
  /** Age in days from which API tokens are refused. */
  maxTokenDays?: number;
  /** Set while members need a second factor; those without one are refused from `from` on. */
  mfaRequirement?: { from: Date; graceDays: number };
  /** Set while people with an address in a verified domain become members; `role` is theirs. */
  autoJoin?: { role: string };
  /** Set while hosted connectors of the organization's servers can't be used. */
  mcpCentralOff?: true;
  /** Set while anyone can read the organization's MCP servers in the form of the public registry. */
  mcpRegistry?: true;
  /** Identity providers by which members other than owners have to sign in; any one of them is enough. */
  ssoProviderIds?: string[];
  /** The avatar in use; `etag` is the SHA-256 of its bytes. */
  avatar?: { id: string; etag: string };
  /** Time of the erasure, set by the deletion; until then, only owners see the organization. */
  deletionAt?: Date;
  /** Set when the erasure has begun, which is final. */
  erasing?: true;
  /** Set when everything except the slugs is erased: no look-up finds the document, and its slugs stay reserved. */
  erasedAt?: Date;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** Settings to change; null removes a limit. */
type TenantSettings = Partial<Pick<TenantDoc, "slug" | "slugs" | "name" | "description">> & {
  maxTokenDays?: number | null;
};

/** Maximum length of `ownerIds`. */
export const countedOwners = 100;

export const tenantIndexes: IndexDescription[] = [
  {
    key: { slugs: 1 },
    unique: true,
    name: "tenant_slugs",
    // Documents of an older export do not have it until the next start.
    partialFilterExpression: { slugs: { $gt: "" } },
  },
  { key: { slug: 1 }, name: "tenant_list" },
  { key: { deletionAt: 1 }, sparse: true },
  { key: { pendingSince: 1 }, sparse: true },
];

export type Tenants = ReturnType<typeof openTenants>;

export function openTenants(database: Database) {
  const tenants = database.collection<TenantDoc>("tenants");
  const existing = { erasedAt: { $exists: false } } as const;
  const present = { ...existing, erasing: { $exists: false } } as const;
  const findById = batchedLookup<TenantDoc>(async (ids) => {
    const found = await tenants.find({ _id: oneOf(ids), ...existing }).toArray();
    return new Map(found.map((tenant) => [tenant._id, tenant]));
  });
  return {
    /** Throws a duplicate error of index `tenant_slugs` if the slug is in use. */
    async insert(tenant: TenantDoc): Promise<void> {
      await tenants.insertOne(tenant);
    },
    /** Concurrent calls share a query, and may get the same object, which they must not change. */
    find: async (id: string): Promise<TenantDoc | null> => (await findById(id)) ?? null,
    /** Finds an organization by its slug or a former one. */
    findBySlug: (slug: string) => tenants.findOne({ slugs: slug, ...existing }),
    listByIds: (ids: string[]) =>
      tenants
        .find({ _id: { $in: ids }, ...existing })
        .sort({ slug: 1 })
        .toArray(),

    /** Changes settings. Null if the organization no longer exists, or has other slugs than `seenSlugs`. */
    async update(
      id: string,
      { maxTokenDays, ...fields }: TenantSettings,
      now: Date,
      events: EventRow[],
      seenSlugs?: string[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present, ...(seenSlugs ? { slugs: seenSlugs } : {}) },
        {
          $set: {
            ...fields,
            ...(typeof maxTokenDays === "number" ? { maxTokenDays } : {}),
            updatedAt: now,
            ...outbox.$set,
          },
          ...(maxTokenDays === null ? { $unset: { maxTokenDays: true } } : {}),
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Sets or removes the requirement of a second factor. Null if the organization no longer exists. */
    async setMfaRequirement(
      id: string,
      mfaRequirement: TenantDoc["mfaRequirement"] | null,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present },
        {
          $set: { ...(mfaRequirement ? { mfaRequirement } : {}), updatedAt: now, ...outbox.$set },
          ...(mfaRequirement ? {} : { $unset: { mfaRequirement: true } }),
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Turns auto-join on or off. Null if the organization no longer exists. */
    async setAutoJoin(
      id: string,
      autoJoin: TenantDoc["autoJoin"] | null,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present },
        {
          $set: { ...(autoJoin ? { autoJoin } : {}), updatedAt: now, ...outbox.$set },
          ...(autoJoin ? {} : { $unset: { autoJoin: true } }),
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Turns hosted connectors off or on. Null if the organization no longer exists, or nothing changes. */
    async setMcpCentral(
      id: string,
      isOff: boolean,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present, mcpCentralOff: { $exists: !isOff } },
        {
          $set: { ...(isOff ? { mcpCentralOff: true } : {}), updatedAt: now, ...outbox.$set },
          ...(isOff ? {} : { $unset: { mcpCentralOff: true } }),
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Null if the organization no longer exists, or its registry is in this state already. */
    async setMcpRegistry(
      id: string,
      isOffered: boolean,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present, mcpRegistry: { $exists: !isOffered } },
        {
          $set: { ...(isOffered ? { mcpRegistry: true } : {}), updatedAt: now, ...outbox.$set },
          ...(isOffered ? {} : { $unset: { mcpRegistry: true } }),
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Begins or ends the enforcement of an identity provider. Null if the organization no longer exists. */
    async enforceProvider(
      id: string,
      providerId: string,
      isEnforced: boolean,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present },
        {
          $set: { updatedAt: now, ...(events.length > 0 ? outbox.$set : {}) },
          ...(isEnforced ? { $addToSet: { ssoProviderIds: providerId } } : {}),
          ...(isEnforced ? {} : { $pull: { ssoProviderIds: providerId } }),
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Sets or removes the avatar. Returns the organization before the change. */
    async setAvatar(
      id: string,
      avatar: TenantDoc["avatar"] | null,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...present, ...(avatar ? {} : { avatar: { $exists: true } }) },
        {
          $set: { ...(avatar ? { avatar } : {}), updatedAt: now, ...outbox.$set },
          ...(avatar ? {} : { $unset: { avatar: true } }),
          $push: outbox.$push,
        },
        { returnDocument: "before" },
      );
    },

    /**
     * Removes an owner from `ownerIds`. False if they are the last one. The document is marked for the reconcile job,
     * which completes the change after a crash.
     */
    async dropOwner(id: string, userId: string, now: Date): Promise<boolean> {
      const dropped = await tenants.updateOne(
        { _id: id, ownerIds: userId, "ownerIds.1": { $exists: true } },
        { $pull: { ownerIds: userId }, $set: { pendingSince: now } },
      );
      if (dropped.modifiedCount === 1) return true;
      return (await tenants.findOne({ _id: id, ownerIds: userId }, { projection: { _id: 1 } })) === null;
    },
    /** Adds an owner to `ownerIds`, unless it is full. */
    async addOwner(id: string, userId: string): Promise<void> {
      await tenants.updateOne(
        { _id: id, [`ownerIds.${countedOwners - 1}`]: { $exists: false } },
        { $addToSet: { ownerIds: userId } },
      );
    },

    /** Sets the time of the erasure; null if it is set already, or the organization no longer exists. */
    async scheduleDeletion(
      id: string,
      deletionAt: Date,
      now: Date,
      events: EventRow[],
    ): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, ...existing, deletionAt: { $exists: false } },
        { $set: { deletionAt, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { returnDocument: "after" },
      );
    },
    /** Cancels the deletion; null if there is none, or the erasure has begun. */
    async cancelDeletion(id: string, now: Date, events: EventRow[]): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, deletionAt: { $gt: now }, ...present },
        { $set: { updatedAt: now, ...outbox.$set }, $unset: { deletionAt: true }, $push: outbox.$push },
        { returnDocument: "after" },
      );
    },
    /** Organizations that are to be erased. */
    listDeleted: (limit: number) =>
      tenants
        .find({ deletionAt: { $exists: true } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray(),
    listToErase: (now: Date, limit: number) =>
      tenants
        .find({ deletionAt: { $lte: now } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray(),
    /** Begins or continues a due erasure, which is final from this write on. False if it is not due. */
    async beginErasing(id: string, now: Date): Promise<boolean> {
      const result = await tenants.updateOne(
        { _id: id, deletionAt: { $lte: now } },
        { $set: { erasing: true }, $unset: { outbox: true, pendingSince: true } },
      );
      return result.matchedCount === 1;
    },
    /**
     * Removes an organization and keeps its slugs: a reference to one must never lead to an organization that is
     * created later.
     */
    async erase(id: string, now: Date): Promise<void> {
      const tenant = await tenants.findOne({ _id: id, erasing: true }, { projection: { slug: 1, slugs: 1 } });
      if (!tenant) return;
      await tenants.replaceOne({ _id: id }, {
        slug: tenant.slug,
        slugs: tenant.slugs,
        erasedAt: now,
      } as TenantDoc);
    },

    ...outboxOperations(tenants),
  };
}
