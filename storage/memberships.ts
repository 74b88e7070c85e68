/** Who belongs to which organization, with which role. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import type { TenantDoc } from "./tenants.ts";

export interface MembershipDoc {
  _id: string;
  tenantId: string;
  userId: string;
  role: string;
  createdAt: Date;
}

export const membershipIndexes: IndexDescription[] = [
  { key: { tenantId: 1, userId: 1 }, unique: true, name: "membership_once" },
  { key: { userId: 1 } },
];

export type Memberships = ReturnType<typeof openMemberships>;

export function openMemberships(database: Database) {
  const memberships = database.collection<MembershipDoc>("memberships");
  return {
    async insert(membership: MembershipDoc): Promise<void> {
      await memberships.insertOne(membership);
    },
    async remove(id: string): Promise<void> {
      await memberships.deleteOne({ _id: id });
    },

    /** A user's memberships with their organizations; those whose organization is gone are left out. */
    async listOfUser(userId: string): Promise<{ membership: MembershipDoc; tenant: TenantDoc }[]> {
      const rows = await memberships
        .aggregate<MembershipDoc & { tenant: TenantDoc }>([
          { $match: { userId } },
          { $lookup: { from: "tenants", localField: "tenantId", foreignField: "_id", as: "tenant" } },
          { $unwind: "$tenant" },
          { $sort: { "tenant.slug": 1 } },
        ])
        .toArray();
      return rows.map(({ tenant, ...membership }) => ({ membership, tenant }));
    },
  };
}
