/**
 * Export of the whole database as lines of text: for moves from the embedded engine to a MongoDB server, and for
 * backups.
 */
import { createHash } from "node:crypto";
import { BSON, type Collection, type Document } from "mongodb";
import { inSlices, type Database } from "../database.ts";
import type { FolderTreeDoc } from "../folders/document.ts";
import type { SkillDoc } from "../skills/skills.ts";
import { format, formatVersion, passing, type End, type Header } from "./format.ts";
import { skillRows } from "./skill-rows.ts";

const sliceSkills = 500;
/** Number of times that a tree is read again because it changed while its folders were read. */
const treeReads = 10;

/**
 * Documents that are commit points, in the order in which they are read. Data copied from them is read later, so that
 * it is never older.
 */
const commitPoints = [
  "skills",
  "anonymous_identities",
  "tenants",
  "tokens",
  "oauth_grants",
  "service_settings",
  "users",
  "invitations",
  "scim_providers",
  "scim_users",
  "scim_groups",
  "memberships",
  "roles",
  "teams",
  "workspace_settings",
  "workspaces",
  "mcp_servers",
  "skill_collections",
  "slug_reservations",
  "connectors",
  "folder_trees",
  "connections",
];

/** Collections that are read together with another one, which is why that one's lines come first. */
const readWith: Record<string, readonly string[]> = {
  skills: ["versions", "manifests", "package_digests", "search_entries"],
  folder_trees: ["folders"],
};

/** Lines of an export, from its header to its end. */
export async function* exportLines(database: Database, now: Date): AsyncGenerator<string> {
  const hash = createHash("sha256");
  for await (const text of contentLines(database, now)) {
    hash.update(`${text}\n`);
    yield text;
  }
  const end: End = { end: { sha256: hash.digest("hex") } };
  yield JSON.stringify(end);
}

/**
 * The header and all documents. The database may be in use: each document is complete, and data derived from it is
 * in the export too, or is derived again by the reconcile job after an import. The versions of a skill are those up to
 * its head as it is in the export.
 */
async function* contentLines(database: Database, now: Date): AsyncGenerator<string> {
  const header: Header = { format, version: formatVersion, exportedAt: now.toISOString() };
  yield JSON.stringify(header);
  const rankOf = (name: string) => (commitPoints.includes(name) ? commitPoints.indexOf(name) : Infinity);
  const names = (await database.raw.collections())
    .map(({ collectionName }) => collectionName)
    .filter((name) => !name.startsWith("system.") && !passing.has(name))
    .sort((a, b) => (rankOf(a) === rankOf(b) ? a.localeCompare(b) : rankOf(a) - rankOf(b)));
  const parts = new Set(Object.values(readWith).flat());
  for (const name of names) {
    if (parts.has(name)) continue;
    for (const declared of [name, ...(readWith[name] ?? [])]) yield await declaration(database, declared);
    if (name === "skills") yield* skillLines(database);
    else if (name === "folder_trees") yield* folderLines(database);
    else yield* documentLines(database.raw.collection(name));
  }
}

async function declaration(database: Database, collection: string): Promise<string> {
  const indexes = await database.raw
    .collection(collection)
    .indexes()
    .catch(() => []);
  return line({ collection, indexes: indexes.filter((index) => index.name !== "_id_") });
}

/** Programs that read text by lines may end one at these characters, which JSON does not escape. */
const line = (content: Document) =>
  BSON.EJSON.stringify(content, { relaxed: false }).replace(/[\u2028\u2029]/g, (character) =>
    character === "\u2028" ? "\\u2028" : "\\u2029",
  );
const documentLine = (name: string, document: Document) => line({ in: name, document });

async function* documentLines(collection: Collection): AsyncGenerator<string> {
  for await (const document of collection.find({}).sort({ _id: 1 }))
    yield documentLine(collection.collectionName, document);
}

/** Skills in slices, each followed by the rows that are derived from them, except newer ones. */
async function* skillLines(database: Database): AsyncGenerator<string> {
  const skills = database.collection<SkillDoc>("skills");
  for await (const slice of inSlices(skills.find({}).sort({ _id: 1 }), sliceSkills)) {
    const byId = new Map(slice.map((skill) => [skill._id, skill]));
    for (const skill of slice) yield documentLine("skills", skill);
    for (const { collection, key, isNewer } of skillRows) {
      if (!readWith["skills"]!.includes(collection)) continue;
      for await (const row of database.raw.collection(collection).find({ [key]: { $in: [...byId.keys()] } }))
        if (!isNewer(row, byId.get(String(row[key]))!)) yield documentLine(collection, row);
    }
  }
}

/** Each tree with its folders as they are at its revision. */
async function* folderLines(database: Database): AsyncGenerator<string> {
  const trees = database.collection<FolderTreeDoc>("folder_trees");
  const folders = database.raw.collection("folders");
  for await (const { _id } of trees.find({}, { projection: { _id: 1 } }).sort({ _id: 1 })) {
    let tree: FolderTreeDoc | null = null;
    let rows: Document[] = [];
    // A tree that changes all the time is exported with rows that may be newer. An import adapts its revision to them.
    for (let reads = 0; reads < treeReads; reads++) {
      tree = await trees.findOne({ _id });
      rows = await folders.find({ tenantId: _id }).toArray();
      if (tree?.revision === (await trees.findOne({ _id }, { projection: { revision: 1 } }))?.revision) break;
    }
    if (!tree) continue;
    yield documentLine("folder_trees", tree);
    for (const row of rows) yield documentLine("folders", row);
  }
}
