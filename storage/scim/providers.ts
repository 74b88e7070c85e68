/**
 * SCIM providers: how an identity provider reaches one organization. The document of an organization is kept when SCIM
 * is disabled, so that the address stays the same and the records of users and groups continue.
 */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import type { TenantDoc } from "../organizations/tenants.ts";
import { withoutOutbox, type WithOutbox } from "../outbox.ts";

export interface ScimProviderDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** Absent while SCIM is disabled. */
  enabled?: { at: Date; by: { userId: string; username: string } };
  /** SHA-256 of the token. */
  tokenHash?: string;
  tokenMadeAt?: Date;
  /** The token before the last rotation, valid until a time. */
  former?: { tokenHash: string; validUntil: Date };
  /** Number of changes; a change names the revision that its writer has read. */
  revision: number;
  lastUsedAt?: Date;
  createdAt: Date;
}

export const scimProvidersCollection = defineCollection({
  name: "scim_providers",
  indexes: [{ key: { tenantId: 1 }, unique: true, name: "scim_provider_tenant" }],
  outbox: true,
  open: (providers: Collection<ScimProviderDoc>) => ({
    /** With its organization, unless that is erased: one query for each request. */
    async findWithTenant(
      id: string,
    ): Promise<{ provider: ScimProviderDoc; tenant: TenantDoc | undefined } | undefined> {
      const [found] = await providers
        .aggregate<ScimProviderDoc & { tenants: TenantDoc[] }>([
          { $match: { _id: id } },
          { $project: { outbox: 0 } },
          { $lookup: { from: "tenants", localField: "tenantId", foreignField: "_id", as: "tenants" } },
        ])
        .toArray();
      if (!found) return undefined;
      const { tenants, ...provider } = found;
      return { provider, tenant: tenants.find(({ erasedAt }) => erasedAt === undefined) };
    },
    findOfTenant: (tenantId: string) => providers.findOne({ tenantId }, withoutOutbox),
    /** Ids of all organizations with a provider. */
    async listTenants(): Promise<string[]> {
      const rows = await providers
        .find({}, { projection: { tenantId: 1 } })
        .sort({ _id: 1 })
        .toArray();
      return rows.map(({ tenantId }) => tenantId);
    },
    change: changeOf(providers, {}),
    async touch(id: string, lastUsedAt: Date): Promise<void> {
      await providers.updateOne({ _id: id }, { $max: { lastUsedAt } });
    },
  }),
});
