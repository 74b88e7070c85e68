/** Organizations: the tenants that own skills. */
import type { Collection } from "mongodb";
import type { ScanPolicy } from "../../contract/scan/policy.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { batchedLookup, oneOf } from "../lookups/batched-lookup.ts";
import type { WithOutbox } from "../outbox.ts";

export interface TenantStorage {
  bytes: number;
  countedAt: Date;
  level: "normal" | "warning" | "full";
  mailed?: "warning" | "full";
}

export interface ReviewRule {
  /** Number of approvals, from 1 to 3. */
  approvals: number;
  /** Teams whose members review; absent: everyone who may. */
  teamIds?: string[];
}

export interface TenantDoc extends WithOutbox {
  _id: string;
  slug: string;
  /** The slug and previous ones, newest first. All lead to this organization, and no other one can take them. */
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
  /** Set while the audit log is sent to a receiver: https:// or syslog+tls://. `since` is the time of the setting. */
  auditForwarding?: { url: string; since: Date; sealedSecret?: string };
  /** Limit of the storage in bytes, instead of that of the service. */
  storageLimitBytes?: number;
  /** The last count of the storage; `mailed` is the level about which owners got a mail. */
  storage?: TenantStorage;
  /** Set while people with an address in a verified domain become members; `role` is theirs. */
  autoJoin?: { role: string };
  /** Set while hosted connectors of the organization's servers can't be used. */
  mcpCentralOff?: true;
  /** Set while anyone can read the organization's MCP servers in the form of the public registry. */
  mcpRegistry?: true;
  /** Identity providers by which members other than owners have to sign in; any one of them is enough. */
  ssoProviderIds?: string[];
  /** Ids of collections in the order in which pages show them; others follow, the oldest first. */
  collectionOrder?: string[];
  /** Collection whose skills the indexes for other clients have; default: the most downloaded skills. */
  indexCollectionId?: string;
  /** Rules by the id of a folder, or `root`: new versions of the skills in it are held until they are approved. */
  reviewRules?: Record<string, ReviewRule>;
  /** How versions are treated in which a scan found something; absent: `defaultScanPolicy`. */
  scanPolicy?: ScanPolicy;
  /** Set once a slug is reserved (`slug-reservations.ts`): without it, a publish looks for none. */
  reservesSlugs?: true;
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

/** Maximum length of `ownerIds`. */
export const countedOwners = 100;

export const tenantsCollection = defineCollection({
  name: "tenants",
  indexes: [
    {
      key: { slugs: 1 },
      unique: true,
      name: "tenant_slugs",
      // Documents of an older export do not have it until the next start.
      partialFilterExpression: { slugs: { $gt: "" } },
    },
    { key: { slug: 1 }, name: "tenant_list" },
    { key: { deletionAt: 1 }, sparse: true },
    { key: { "auditForwarding.since": 1 }, sparse: true },
    { key: { "storage.level": 1 }, sparse: true },
  ],
  outbox: true,
  open: openTenants,
});

function openTenants(tenants: Collection<TenantDoc>) {
  const existing = { erasedAt: { $exists: false } } as const;
  const present = { ...existing, erasing: { $exists: false } } as const;
  const findById = batchedLookup<TenantDoc>(async (ids) => {
    const found = await tenants.find({ _id: oneOf(ids), ...existing }).toArray();
    return new Map(found.map((tenant) => [tenant._id, tenant]));
  });
  return {
    /** Concurrent calls share a query, and may get the same object, which they must not change. */
    find: async (id: string): Promise<TenantDoc | null> => (await findById(id)) ?? null,
    /** Finds an organization by its slug or a previous one. */
    findBySlug: (slug: string) => tenants.findOne({ slugs: slug, ...existing }),
    listByIds: (ids: string[]) =>
      tenants
        .find({ _id: { $in: ids }, ...existing })
        .sort({ slug: 1 })
        .toArray(),

    /** Those of the organizations whose audit log is sent to a receiver. */
    listForwarding: async (ids: string[]): Promise<string[]> =>
      (
        await tenants
          .find({ _id: { $in: ids }, auditForwarding: { $exists: true } }, { projection: { _id: 1 } })
          .toArray()
      ).map(({ _id }) => _id),
    /** All organizations whose audit log is sent to a receiver. */
    eachForwarding: () =>
      tenants.find({ "auditForwarding.since": { $gt: new Date(0) } }, { projection: { _id: 1 } }),

    async noteReservedSlugs(id: string): Promise<void> {
      await tenants.updateOne(
        { _id: id, reservesSlugs: { $exists: false } },
        { $set: { reservesSlugs: true } },
      );
    },
    async noteStorage(id: string, storage: TenantStorage): Promise<void> {
      await tenants.updateOne({ _id: id, ...present }, { $set: { storage } });
    },
    /** Numbers of organizations that have used most of their storage, and of those without space. */
    async countNearLimit(): Promise<{ warned: number; full: number }> {
      const count = (level: TenantStorage["level"]) =>
        tenants.countDocuments({ "storage.level": level, ...present });
      const [warned, full] = await Promise.all([count("warning"), count("full")]);
      return { warned, full };
    },

    /** Changes an organization. Null if it no longer exists, or is being erased. */
    change: changeOf(tenants, present),

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
  };
}
