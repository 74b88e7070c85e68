import type { Collection } from "mongodb";
import type { Database } from "../../database.ts";
import { dropIndex } from "./drop-index.ts";

/** Adds the fields for teams, previous slugs and owners. */
export async function addOrganizationFields(database: Database): Promise<void> {
  const tenants = database.raw.collection("tenants");
  const memberships = database.raw.collection("memberships");
  // Previous slugs are added last, so that an interrupted migration is repeated.
  if ((await tenants.findOne({ slugs: { $exists: false } })) !== null) await addFields(tenants, memberships);
  await dropIndex(database, "memberships", "membership_once");
  await dropIndex(database, "tenants", "tenant_slug");
}

async function addFields(tenants: Collection, memberships: Collection): Promise<void> {
  await memberships.updateMany({ active: { $exists: false }, removedAt: { $exists: false } }, [
    { $set: { active: true, teamIds: [], revision: 0, username: "", nameKeys: [] } },
  ]);
  const names = memberships.aggregate<{ _id: string; user: { username: string; name: string }[] }>([
    { $match: { username: "" } },
    { $lookup: { from: "users", localField: "userId", foreignField: "_id", as: "user" } },
    { $project: { user: { username: 1, name: 1 } } },
  ]);
  for await (const { _id, user } of names) {
    const [found] = user;
    if (!found) continue;
    const nameKeys = [
      ...new Set([found.username, found.name].map((name) => name.normalize("NFKC").toLowerCase())),
    ];
    await memberships.updateOne({ _id: _id as never }, { $set: { username: found.username, nameKeys } });
  }
  const owners = memberships.aggregate<{ _id: string; ownerIds: string[] }>([
    { $match: { role: "owner", active: true } },
    { $group: { _id: "$tenantId", ownerIds: { $push: "$userId" } } },
  ]);
  for await (const { _id, ownerIds } of owners)
    await tenants.updateOne({ _id: _id as never }, { $set: { ownerIds: ownerIds.slice(0, 100) } });
  await tenants.updateMany({ slugs: { $exists: false } }, [{ $set: { slugs: ["$slug"] } }]);
}
