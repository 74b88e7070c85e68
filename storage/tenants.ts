/** Organizations: the tenants that own skills. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";

export interface TenantDoc extends WithOutbox {
  _id: string;
  slug: string;
  /** The slug and former ones, newest first. All lead to this organization, and no other one can take them. */
  slugs: string[];
  name: string;
  description?: string;
  /**
   * Owners that are counted on, some of the real ones and never none: whoever stops being an owner leaves this list
   * first, and the last of it can't.
   */
  ownerIds: string[];
  /** Age in days from which an API token does not act here any more. */
  maxTokenDays?: number;
  /** The avatar in use; `etag` is the SHA-256 of its bytes. */
  avatar?: { id: string; etag: string };
  /** When everything is erased: from its deletion on the organization is there for its owners alone. */
  deletionAt?: Date;
  /** Set when erasing has begun: from then on nothing comes back. */
  erasing?: true;
  /** Set when everything but the slugs is erased: nothing finds the document, and its slugs stay taken. */
  erasedAt?: Date;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** Settings to change; null removes a limit. */
type TenantSettings = Partial<Pick<TenantDoc, "slug" | "slugs" | "name" | "description">> & {
  maxTokenDays?: number | null;
};

/** How many owners `ownerIds` counts on at most. */
export const countedOwners = 100;

export const tenantIndexes: IndexDescription[] = [
  {
    key: { slugs: 1 },
    unique: true,
    name: "tenant_slugs",
    // Documents of an older export do not have it until the next start.
    partialFilterExpression: { slugs: { $gt: "" } },
  },
  { key: { deletionAt: 1 }, sparse: true },
  { key: { unsettledAt: 1 }, sparse: true },
];

export type Tenants = ReturnType<typeof openTenants>;

export function openTenants(database: Database) {
  const tenants = database.collection<TenantDoc>("tenants");
  const existing = { erasedAt: { $exists: false } } as const;
  const present = { ...existing, erasing: { $exists: false } } as const;
  return {
    /** Throws a duplicate error of index `tenant_slugs` when the slug is taken. */
    async insert(tenant: TenantDoc): Promise<void> {
      await tenants.insertOne(tenant);
    },
    find: (id: string) => tenants.findOne({ _id: id, ...existing }),
    /** Finds an organization by its slug or a former one. */
    findBySlug: (slug: string) => tenants.findOne({ slugs: slug, ...existing }),
    listByIds: (ids: string[]) =>
      tenants
        .find({ _id: { $in: ids }, ...existing })
        .sort({ slug: 1 })
        .toArray(),

    /** Changes settings. With `seenSlugs` only while the slugs are those: null otherwise, or when it is gone. */
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
    /** Names another avatar, or none. Answers the organization as it was before. */
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
     * Stops counting on an owner. False when they are the last one counted on. From this write on the document waits to
     * be settled, so that a stop before the membership follows is made good.
     */
    async dropOwner(id: string, userId: string, now: Date): Promise<boolean> {
      const dropped = await tenants.updateOne(
        { _id: id, ownerIds: userId, "ownerIds.1": { $exists: true } },
        { $pull: { ownerIds: userId }, $set: { unsettledAt: now } },
      );
      if (dropped.modifiedCount === 1) return true;
      return (await tenants.findOne({ _id: id, ownerIds: userId }, { projection: { _id: 1 } })) === null;
    },
    /** Counts on an owner, unless enough are counted on. */
    async addOwner(id: string, userId: string): Promise<void> {
      await tenants.updateOne(
        { _id: id, [`ownerIds.${countedOwners - 1}`]: { $exists: false } },
        { $addToSet: { ownerIds: userId } },
      );
    },

    /** Sets when everything is erased; null when that is set already, or the organization is gone. */
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
    /** Takes the deletion back; null when there is none, or erasing has begun. */
    async cancelDeletion(id: string, now: Date, events: EventRow[]): Promise<TenantDoc | null> {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id, deletionAt: { $gt: now }, ...present },
        { $set: { updatedAt: now, ...outbox.$set }, $unset: { deletionAt: true }, $push: outbox.$push },
        { returnDocument: "after" },
      );
    },
    /** Those that wait to be erased. */
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
    /** Begins to erase what is due, or goes on: from this write on nothing comes back. False when it is not due. */
    async beginErasing(id: string, now: Date): Promise<boolean> {
      const result = await tenants.updateOne(
        { _id: id, deletionAt: { $lte: now } },
        { $set: { erasing: true }, $unset: { outbox: true, unsettledAt: true } },
      );
      return result.matchedCount === 1;
    },
    /**
     * Removes an organization and keeps its slugs: a reference that still names one must never lead to an organization
     * that somebody else creates.
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
