/**
 * References between collections that an export of a database in use can leave open, since it reads one collection
 * after another. Every repair may run twice, and while the service runs.
 */
import type { Document } from "mongodb";
import { inSlices, type Database } from "../database.ts";
import type { FolderDoc } from "../folders/document.ts";
import type { SkillDoc } from "../skills/skills.ts";

const slice = 500;

/** Collections whose rows have no use without their organization. */
const ofTenants = [
  "avatars",
  "connections",
  "connectors",
  "folders",
  "followed_changes",
  "follows",
  "former_members",
  "invitations",
  "mcp_installs",
  "mcp_servers",
  "memberships",
  "oidc_policies",
  "refused_contents",
  "roles",
  "scim_groups",
  "scim_users",
  "skill_collections",
  "sso_domains",
  "sso_identities",
  "sync_bases",
  "sync_conflicts",
  "sync_proposals",
  "sync_proposed",
  "sync_runs",
  "teams",
  "tokens",
  "webhooks",
  "workspaces",
];

export interface ReferenceRepairs {
  /** Rows of organizations or accounts that don't exist. */
  removedRows: number;
  /** Folders that were deleted after a skill in them was read. */
  restoredFolders: number;
  /** Trees and connections whose rows were newer than they. */
  raised: number;
  /** Skills whose search entry was missing or newer than they. */
  reindexed: number;
}

/** @param before rows that are younger may belong to a change in progress; undefined for a database without users */
export async function repairReferences(database: Database, before?: Date): Promise<ReferenceRepairs> {
  let removedRows = 0;
  for (const name of ofTenants)
    removedRows += await removeUnowned(
      database,
      name,
      "tenantId",
      ["tenants", "anonymous_identities"],
      before,
    );
  for (const name of ["memberships", "sessions", "follows", "followed_changes"])
    removedRows += await removeUnowned(database, name, "userId", ["users"], before);
  return {
    removedRows,
    restoredFolders: await restoreFolders(database),
    raised: (await raiseTrees(database)) + (await raiseFences(database)),
    reindexed: await markUnindexed(database),
  };
}

/** Values of a field, each once. */
const valuesOf = (database: Database, name: string, field: string) =>
  database.raw.collection(name).aggregate<{ _id: unknown }>([{ $group: { _id: `$${field}` } }]);

/** Removes the rows whose owner is in none of the given collections. An erased organization keeps its slugs only. */
async function removeUnowned(
  database: Database,
  name: string,
  field: string,
  owners: readonly string[],
  before: Date | undefined,
): Promise<number> {
  const rows = database.raw.collection(name);
  const age = before ? { _id: { $lt: idAt(before) } } : {};
  let removed = 0;
  for await (const values of inSlices(valuesOf(database, name, field), slice)) {
    const unknown = new Set(values.map(({ _id }) => _id).filter((id) => typeof id === "string"));
    for (const owner of owners) {
      const found = database
        .collection<{ _id: string } & Document>(owner)
        .find({ _id: { $in: [...unknown] }, erasedAt: { $exists: false } }, { projection: { _id: 1 } });
      for await (const { _id } of found) unknown.delete(_id);
    }
    if (unknown.size > 0)
      removed += (await rows.deleteMany({ [field]: { $in: [...unknown] }, ...age })).deletedCount;
  }
  return removed;
}

/** The lowest id of a time: an id begins with its creation time in seconds. */
const idAt = (time: Date) =>
  `${Math.floor(time.getTime() / 1000)
    .toString(16)
    .padStart(8, "0")}${"0".repeat(16)}` as never;

/** A folder with a skill, or with a folder that has one, is not deleted: the deletion happened after the export. */
async function restoreFolders(database: Database): Promise<number> {
  const folders = database.collection<FolderDoc>("folders");
  const skills = database.collection<SkillDoc>("skills");
  let restored = 0;
  for await (const deleted of inSlices(folders.find({ deletedAt: { $exists: true } }), slice)) {
    const ids = deleted.map(({ _id }) => _id);
    const inUse = await skills.distinct("folderId", {
      folderId: { $in: ids },
      deletedAt: { $exists: false },
    });
    for (let id of inUse)
      while (id !== null) {
        const folder: FolderDoc | null = await folders.findOneAndUpdate(
          { _id: id, deletedAt: { $exists: true } },
          // The tree's revision follows (`raiseTrees`), so that every process reads the folder again.
          { $unset: { deletedAt: true, closing: true }, $inc: { revision: 1 } },
        );
        if (folder) restored++;
        id = folder?.parentId ?? null;
      }
  }
  return restored;
}

/** A folder that is newer than its tree would reject the next change. */
async function raiseTrees(database: Database): Promise<number> {
  const newest = database.raw
    .collection("folders")
    .aggregate<{ _id: string; revision: number }>([
      { $group: { _id: "$tenantId", revision: { $max: "$revision" } } },
    ]);
  const trees = database.collection<{ _id: string; revision: number }>("folder_trees");
  let raised = 0;
  for await (const { _id, revision } of newest)
    raised += (await trees.updateOne({ _id, revision: { $lt: revision } }, { $set: { revision } }))
      .modifiedCount;
  return raised;
}

/** A row whose fence is higher than that of its connection would reject what the next sync records. */
async function raiseFences(database: Database): Promise<number> {
  const connections = database.collection<{ _id: string; fence: number; lease?: Document }>("connections");
  let raised = 0;
  for (const [name, field] of [
    ["sync_bases", "connectionId"],
    ["sync_proposals", "_id"],
    ["sync_proposed", "connectionId"],
  ] as const) {
    const newest = database.raw
      .collection(name)
      .aggregate<{ _id: string; fence: number }>([
        { $group: { _id: `$${field}`, fence: { $max: "$fence" } } },
      ]);
    for await (const { _id, fence } of newest)
      raised += (
        await connections.updateOne(
          { _id, fence: { $lt: fence } },
          { $set: { fence }, $unset: { lease: true } },
        )
      ).modifiedCount;
  }
  return raised;
}

/** Marks skills without a search entry of theirs, so that the service writes it, and their refs, again. */
async function markUnindexed(database: Database): Promise<number> {
  const skills = database.collection<SkillDoc>("skills");
  const entries = database.collection<{ _id: string; revision: number }>("search_entries");
  const alive = skills.find(
    { deletedAt: { $exists: false } },
    { projection: { revision: 1, pendingSince: 1 } },
  );
  let marked = 0;
  for await (const some of inSlices(alive, slice)) {
    const found = await entries
      .find({ _id: { $in: some.map(({ _id }) => _id) } }, { projection: { revision: 1 } })
      .toArray();
    const present = new Map(found.map((entry) => [entry._id, entry.revision]));
    for (const { _id, revision, pendingSince } of some) {
      const isNewer = (present.get(_id) ?? 0) > revision;
      if (!isNewer && (present.has(_id) || pendingSince)) continue;
      // A skill that has changed in the meantime is projected by that change.
      const change = await skills.updateOne({ _id, revision }, { $set: { pendingSince: new Date() } });
      if (change.matchedCount === 0) continue;
      if (isNewer) await entries.deleteOne({ _id, revision: { $gt: revision } });
      marked++;
    }
  }
  return marked;
}
