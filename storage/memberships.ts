/** Who belongs to which organization, with which role. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";

export interface MembershipDoc {
  _id: string;
  tenantId: string;
  /** The organization's own, repeated here: every request asks who its caller is. */
  tenantSlug: string;
  tenantName: string;
  userId: string;
  role: string;
  createdAt: Date;
  /** Set until the organization exists; such a membership counts for nothing. */
  pending?: true;
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

    /** A user's memberships, by slug of the organization. */
    listOfUser: (userId: string): Promise<MembershipDoc[]> =>
      memberships
        .find({ userId, pending: { $exists: false } })
        .sort({ tenantSlug: 1 })
        .toArray(),

    /** Repeats what an organization is called now, and lets those count that waited for it to exist. */
    async follow(tenant: { _id: string; slug: string; name: string }): Promise<void> {
      const fields = { tenantSlug: tenant.slug, tenantName: tenant.name };
      await memberships.updateMany({ tenantId: tenant._id }, { $set: fields, $unset: { pending: true } });
    },
  };
}
