/** Facts that a sign-in through an identity provider needs, each with what belongs to it in one query. */
import type { Document } from "mongodb";
import type { Database } from "../database.ts";
import { counting, type MembershipDoc } from "../memberships/document.ts";
import type { TenantDoc } from "../organizations/tenants.ts";
import type { SsoProviderDoc } from "../sso/providers.ts";
import { credentials, type Credentials } from "../users/document.ts";

/** A person whom a provider has signed in before. */
export interface KnownPerson {
  /** Undefined if the account was deleted. */
  account: Credentials | undefined;
  /** The membership in the provider's organization. */
  member: MembershipDoc | undefined;
}

export function openSsoLookups(database: Database) {
  return {
    /** A provider of any organization, with the organization unless it is erased. */
    async findProvider(
      id: string,
    ): Promise<{ provider: SsoProviderDoc; tenant: TenantDoc | undefined } | undefined> {
      const stages = [
        { $match: { _id: id, active: true } },
        joined("tenants", "tenantId", "_id", "tenant"),
        { $project: { outbox: 0 } },
      ];
      const rows = await database.aggregate<SsoProviderDoc & { tenant: TenantDoc[] }>(
        "sso_providers",
        stages,
      );
      return rows.map(({ tenant: [tenant], ...provider }) => ({
        provider,
        tenant: tenant?.erasedAt === undefined ? tenant : undefined,
      }))[0];
    },
    /** By the key of the subject. Undefined for a person who is new to the provider. */
    async findPerson(providerId: string, subjectKey: string): Promise<KnownPerson | undefined> {
      const stages = [
        { $match: { providerId, subjectKey } },
        joined("users", "userId", "_id", "account"),
        joined("memberships", "userId", "userId", "members"),
        { $project: { account: credentials, "members.outbox": 0 } },
      ];
      const rows = await database.aggregate<PersonRow>("sso_identities", stages);
      return rows.map(({ tenantId, account: [account], members }) => ({
        account: account?.deletedAt === undefined ? account : undefined,
        member: members.find((one) => one.tenantId === tenantId && counts(one)),
      }))[0];
    },
  };
}

interface PersonRow {
  tenantId: string;
  account: (Credentials & { deletedAt?: Date })[];
  members: MembershipDoc[];
}

/** The condition `counting`. */
const counts = ({ active, pending }: MembershipDoc) => active === counting.active && pending === undefined;

/** Conditions are checked on the result: a pipeline in each look-up costs the engine more. */
const joined = (from: string, localField: string, foreignField: string, as: string): Document => ({
  $lookup: { from, localField, foreignField, as },
});
