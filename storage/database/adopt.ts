/** Migrates a database of an earlier version, before the indexes of this version are created. */
import { MongoServerError } from "mongodb";
import type { Database } from "../database.ts";
import type { DeclaredIndexes } from "./indexes.ts";

export async function adoptOlderForm(database: Database, declared: DeclaredIndexes): Promise<void> {
  await adoptFieldNames(database, declared);
  await adoptOrganizations(database);
  await adoptTokens(database);
  await adoptConnections(database);
  await adoptSearch(database);
  await dropIndex(database, "scim_users", "scim_user_external_id");
  await dropIndex(database, "scim_groups", "scim_group_external_id");
  await dropIndex(database, "installs", "tenantId_1_userId_1");
}

/** Fields that had other names, by collection. Outboxes have `unsettledAt` as well. */
const formerFields: Record<string, Record<string, string>> = {
  skills: { governingFolderId: "effectiveRestrictionId" },
  search_entries: { governingFolderId: "effectiveRestrictionId" },
  connectors: { generation: "credentialsRevision" },
};

/**
 * Renames fields. A database has previous names if any skill has them (a restored backup) or the users have an index of
 * them. That index is created first and dropped last, so that the next start repeats an interrupted migration.
 */
async function adoptFieldNames(database: Database, declared: DeclaredIndexes): Promise<void> {
  const marker = "unsettledAt_1";
  const skill = await database.raw.collection("skills").findOne({}, { projection: { governingFolderId: 1 } });
  if (!(skill && "governingFolderId" in skill) && !(await hasIndex(database, "users", marker))) return;

  await database.raw.collection("users").createIndex({ unsettledAt: 1 }, { sparse: true });
  const outboxes = Object.entries(declared).flatMap(([collection, indexes]) =>
    indexes.some(({ key }) => "pendingSince" in key) ? [collection] : [],
  );
  for (const name of new Set([...outboxes, ...Object.keys(formerFields)])) {
    const renamed = {
      ...formerFields[name],
      ...(outboxes.includes(name) && { unsettledAt: "pendingSince" }),
    };
    const collection = database.raw.collection(name);
    for (const [previous, current] of Object.entries(renamed))
      await collection.updateMany({ [previous]: { $exists: true } }, { $rename: { [previous]: current } });
    for (const index of await collection.indexes().catch(() => []))
      if (name !== "users" && Object.keys(renamed).some((previous) => previous in index.key))
        await dropIndex(database, name, index.name!);
  }
  await dropIndex(database, "users", marker);
}

/**
 * Previously, `manualWanted` was the number of the last sync that a person requested. If the deleted branch was
 * reported at that time and the sync is not done, it permits the new branch that `newBranchWanted` now permits.
 */
async function adoptConnections(database: Database): Promise<void> {
  const permits = {
    $and: [{ $eq: ["$problem.code", "branch_missing"] }, { $gt: ["$manualWanted", "$done"] }],
  };
  await database.raw.collection("connections").updateMany({ manualWanted: { $exists: true } }, [
    {
      $set: {
        newBranchWanted: {
          $ifNull: ["$newBranchWanted", { $cond: [permits, "$manualWanted", "$$REMOVE"] }],
        },
      },
    },
    { $unset: "manualWanted" },
  ]);
}

/** Previously, slots were unique per user, so that all tokens of organizations would share one slot. */
async function adoptTokens(database: Database): Promise<void> {
  for (const previous of ["token_slot", "userId_1__id_-1"]) await dropIndex(database, "tokens", previous);
}

/** Previously, a search was in the order of an index of terms. */
async function adoptSearch(database: Database): Promise<void> {
  await dropIndex(database, "search_entries", "tenantId_1_terms_1_updatedAt_-1__id_-1");
  for (const sort of ["updatedAt", "createdAt", "downloads"])
    await dropIndex(database, "search_entries", `terms_1_${sort}_-1__id_-1`);
}

async function dropIndex(database: Database, collection: string, name: string): Promise<void> {
  if (!(await hasIndex(database, collection, name))) return;
  await database.raw
    .collection(collection)
    .dropIndex(name)
    .catch((error: unknown) => {
      // A process that started concurrently has dropped it.
      if (!(error instanceof MongoServerError) || error.code !== indexNotFound) throw error;
    });
}

const indexNotFound = 27;

/**
 * Adds the fields for teams and former slugs. The previous index marks a database that lacks them. It is dropped
 * last, so that the next start repeats an interrupted migration.
 */
async function adoptOrganizations(database: Database): Promise<void> {
  const tenants = database.raw.collection("tenants");
  const memberships = database.raw.collection("memberships");
  if (!(await hasIndex(database, "tenants", "tenant_slug"))) return;

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

  if (await hasIndex(database, "memberships", "membership_once"))
    await memberships.dropIndex("membership_once");
  await tenants.dropIndex("tenant_slug");
}

async function hasIndex(database: Database, collection: string, name: string): Promise<boolean> {
  const indexes = await database.raw
    .collection(collection)
    .indexes()
    .catch(() => []);
  return indexes.some((index) => index.name === name);
}
