/** Import of an export into an empty database, or into one where the same import was interrupted. */
import { createHash } from "node:crypto";
import { BSON, MongoBulkWriteError, type Document, type IndexDescription } from "mongodb";
import { limits } from "../../contract/limits.ts";
import { isDuplicate, type Database } from "../database.ts";
import { forgetMigrations } from "../database/migrations/migrate.ts";
import type { SkillDoc } from "../skills/skills.ts";
import { checkedLines, readFormatVersion } from "./checked-lines.ts";
import { passing, versionWithoutEnd, type Line } from "./format.ts";
import { repairReferences } from "./references.ts";
import { withoutNewer } from "./skill-rows.ts";

const batchDocuments = 500;

/** Mark of an import that is not complete. */
interface ImportDoc {
  _id: "unfinished";
  /** SHA-256 of the header of the export. */
  header: string;
}

const marks = (database: Database) => database.collection<ImportDoc>("imports");

/** Whether an import was interrupted: the database must not be used before it is complete. */
export async function hasUnfinishedImport(database: Database): Promise<boolean> {
  return (await marks(database).findOne({ _id: "unfinished" })) !== null;
}

/** Whether nothing is stored yet. */
async function isEmpty(database: Database): Promise<boolean> {
  for (const collection of await database.raw.collections()) {
    if (passing.has(collection.collectionName)) continue;
    if ((await collection.findOne({}, { projection: { _id: 1 } })) !== null) return false;
  }
  return true;
}

export interface Imported {
  documents: number;
  /** False for an export of an earlier release, whose completeness can't be verified. */
  hasEnd: boolean;
}

/**
 * Reads an export into an empty database. An interrupted import of the same export
 * continues. Throws if the text is not an export, or not a complete one, or the database contains anything else.
 */
export async function importLines(database: Database, lines: AsyncIterable<string>): Promise<Imported> {
  let version: number | undefined;
  let documents = 0;
  let batch: { name: string; rows: Document[] } | undefined;
  const flush = async () => {
    if (batch) documents += await insert(database, batch.name, batch.rows);
    batch = undefined;
  };
  for await (const text of checkedLines(lines)) {
    if (version === undefined) {
      version = readFormatVersion(text);
      await beginImport(database, text);
      continue;
    }
    const line = parseLine(text);
    if ("collection" in line) {
      await flush();
      await createIndexes(database, line);
      continue;
    }
    if (passing.has(line.in)) continue;
    if (batch && (batch.name !== line.in || batch.rows.length >= batchDocuments)) await flush();
    batch ??= { name: line.in, rows: [] };
    batch.rows.push(line.document);
  }
  await flush();
  await repairReferences(database);
  // A process that has opened the database before the import began may have migrated a part of it.
  await forgetMigrations(database);
  await marks(database).deleteOne({ _id: "unfinished" });
  return { documents, hasEnd: version !== versionWithoutEnd };
}

/** Marks the database as having a part of an import, so that the service does not start on it. */
export async function beginImport(database: Database, headerLine: string): Promise<void> {
  if (await requireImportable(database, headerLine)) return;
  await marks(database).insertOne({ _id: "unfinished", header: digestOf(headerLine) });
}

const digestOf = (headerLine: string) => createHash("sha256").update(headerLine).digest("hex");

/**
 * Throws unless the export with this header can be imported: the database is empty, or has a part of the same import.
 * Returns whether it has.
 */
export async function requireImportable(database: Database, headerLine: string): Promise<boolean> {
  const mark = await marks(database).findOne({ _id: "unfinished" });
  if (mark?.header === digestOf(headerLine)) return true;
  if (mark)
    throw new Error(
      "The database contains part of another export: complete that import, or import into an empty database.",
    );
  if (!(await isEmpty(database)))
    throw new Error(
      `The database is not empty: import into a new one, named by MONGODB_DATABASE, instead of ` +
        `"${database.raw.databaseName}".`,
    );
  return false;
}

/**
 * Inserts the rows that belong to the import, and returns their number. Rows that exist were inserted by an interrupted
 * run.
 *
 * The database was in use, so a row may have the unique value of one that was read before it and changed since. The
 * later one is left out, since the earlier one is part of the export's state, except for a skill: it replaces the slug
 * of the earlier one.
 */
async function insert(database: Database, name: string, rows: Document[]): Promise<number> {
  const kept = await withoutNewer(database, name, rows);
  if (kept.length === 0) return 0;
  const refused = await insertEach(database, name, kept);
  if (name !== "skills") return kept.length - refused.length;
  await releaseSlugs(database, refused as SkillDoc[]);
  return kept.length - (await insertEach(database, name, refused)).length;
}

/** Returns the rows that a unique index other than that of the ids has refused. */
async function insertEach(database: Database, name: string, rows: Document[]): Promise<Document[]> {
  if (rows.length === 0) return [];
  try {
    await database.raw.collection(name).insertMany(rows, { ordered: false });
    return [];
  } catch (error) {
    if (!isDuplicate(error) && !(error instanceof MongoBulkWriteError)) throw error;
    const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (failed.length === 0 || failed.some(({ code }) => code !== 11000)) throw error;
    return failed
      .filter(({ errmsg }) => !(errmsg ?? "").includes(" index: _id_ "))
      .map(({ index }) => rows[index]!);
  }
}

/** Gives the skills that have the slugs of these ones a slug of their own, as a move or rename has done since. */
async function releaseSlugs(database: Database, skills: readonly SkillDoc[]): Promise<void> {
  const stored = database.collection<SkillDoc>("skills");
  for (const { _id, tenantId, slug } of skills) {
    const holder = await stored.findOne({ tenantId, slug, _id: { $ne: _id } });
    if (!holder) continue;
    const own = `${slug.slice(0, limits.skillSlug - 7)}-${holder._id.slice(-6)}`;
    await stored.updateOne(
      { _id: holder._id },
      { $set: { slug: own, pendingSince: new Date() }, $inc: { revision: 1 } },
    );
  }
}

function parseLine(text: string): Line {
  try {
    return BSON.EJSON.parse(text, { relaxed: false }) as Line;
  } catch (cause) {
    throw new Error("The export has a line that can't be read, so it may be incomplete. Use another copy.", {
      cause,
    });
  }
}

/** Creates the indexes of an export. Those that the opened storage has created already are equal and skipped. */
async function createIndexes(
  database: Database,
  line: { collection: string; indexes: IndexDescription[] },
): Promise<void> {
  const collection = database.raw.collection(line.collection);
  const present = new Set((await collection.indexes().catch(() => [])).map((index) => index.name));
  const missing = line.indexes
    .filter((index) => !present.has(index.name))
    .map(
      ({ v: _version, ns: _namespace, ...index }: IndexDescription & { v?: unknown; ns?: unknown }) => index,
    );
  if (missing.length > 0) await collection.createIndexes(missing);
}
