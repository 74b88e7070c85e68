/** Facts that a sign-in by an identity provider needs, each with what belongs to it in one query. */
import type { Document } from "mongodb";
import type { Database } from "../database.ts";
import { counting, type MembershipDoc } from "../memberships/document.ts";
import type { SsoIdentityDoc } from "../sso/identities.ts";
import type { SsoProviderDoc } from "../sso/providers.ts";
import type { TenantDoc } from "../tenants.ts";
import { credentials, present, type Credentials } from "../users/document.ts";

/** A person whom a provider has signed in before. */
export interface KnownPerson {
  /** Undefined if the account was deleted. */
  account: Credentials | undefined;
  /** The membership in the provider's organization. */
  member: MembershipDoc | undefined;
}

export type SsoLookups = ReturnType<typeof openSsoLookups>;

export function openSsoLookups(database: Database) {
  const providers = database.collection<SsoProviderDoc>("sso_providers");
  const identities = database.collection<SsoIdentityDoc>("sso_identities");
  return {
    /** A provider of any organization, with the organization unless it is erased. */
    async findProvider(
      id: string,
    ): Promise<{ provider: SsoProviderDoc; tenant: TenantDoc | undefined } | undefined> {
      const stages = [
        { $match: { _id: id, active: true } },
        { $project: { outbox: 0 } },
        joined("tenants", "tenantId", "_id", "tenant", { erasedAt: { $exists: false } }),
      ];
      const rows = await providers.aggregate<SsoProviderDoc & { tenant: TenantDoc[] }>(stages).toArray();
      return rows.map(({ tenant: [tenant], ...provider }) => ({ provider, tenant }))[0];
    },
    /** By the key of the subject. Undefined for a person who is new to the provider. */
    async findPerson(providerId: string, subjectKey: string): Promise<KnownPerson | undefined> {
      const stages = [
        { $match: { providerId, subjectKey } },
        joined("users", "userId", "_id", "account", present, credentials),
        joined("memberships", "userId", "userId", "members", counting, { outbox: 0 }),
      ];
      const rows = await identities
        .aggregate<SsoIdentityDoc & { account: Credentials[]; members: MembershipDoc[] }>(stages)
        .toArray();
      return rows.map(({ tenantId, account: [account], members }) => ({
        account,
        member: members.find((one) => one.tenantId === tenantId),
      }))[0];
    },
  };
}

function joined(
  from: string,
  localField: string,
  foreignField: string,
  as: string,
  condition: Document,
  projection?: Document,
): Document {
  const pipeline = [{ $match: condition }, ...(projection ? [{ $project: projection }] : [])];
  return { $lookup: { from, localField, foreignField, as, pipeline } };
}
