/**
 * Export and import of the whole database as lines of text: for moves from the embedded engine to a MongoDB server, and
 * for backups. Each line is a JSON document in canonical EJSON, which preserves every type.
 */
import { BSON, type Document, type IndexDescription } from "mongodb";
import type { Database } from "./database.ts";

const format = "svc-export";
const formatVersion = 1;
const batchDocuments = 500;

interface Header {
  format: string;
  version: number;
  exportedAt: string;
}
type Line = { collection: string; indexes: IndexDescription[] } | { in: string; document: Document };

/** Collections whose content is useless in another database, or is read again there. */
const passing = new Set([
  "idempotency",
  "mcp_catalog",
  "mcp_catalog_state",
  "oauth_requests",
  "signature_nonces",
  "webhook_deliveries",
]);

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
  "connectors",
  "folder_trees",
  "connections",
];

/**
 * Lines of an export, header first. The database may be in use: each document is complete, and data derived from it is
 * in the export too, or is derived again by the reconcile job after an import.
 */
export async function* exportLines(database: Database, now: Date): AsyncGenerator<string> {
  const header: Header = { format, version: formatVersion, exportedAt: now.toISOString() };
  yield JSON.stringify(header);
  const rankOf = (name: string) => (commitPoints.includes(name) ? commitPoints.indexOf(name) : Infinity);
  const collections = (await database.raw.collections()).sort(
    ({ collectionName: a }, { collectionName: b }) =>
      rankOf(a) === rankOf(b) ? a.localeCompare(b) : rankOf(a) - rankOf(b),
  );
  for (const collection of collections) {
    const name = collection.collectionName;
    if (name.startsWith("system.") || passing.has(name)) continue;
    const indexes = (await collection.indexes()).filter((index) => index.name !== "_id_");
    yield BSON.EJSON.stringify({ collection: name, indexes }, { relaxed: false });
    for await (const document of collection.find({}).sort({ _id: 1 })) {
      yield BSON.EJSON.stringify({ in: name, document }, { relaxed: false });
    }
  }
}

/** Whether nothing is stored yet: an import requires an empty database. */
export async function isEmptyDatabase(database: Database): Promise<boolean> {
  for (const collection of await database.raw.collections()) {
    if (passing.has(collection.collectionName)) continue;
    if ((await collection.findOne({}, { projection: { _id: 1 } })) !== null) return false;
  }
  return true;
}

/** Reads an export into an empty database; returns the number of documents. Throws if the text is not an export. */
export async function importLines(database: Database, lines: AsyncIterable<string>): Promise<number> {
  let isFirst = true;
  let documents = 0;
  let batch: { name: string; rows: Document[] } | undefined;
  const flush = async () => {
    if (batch && batch.rows.length > 0)
      await database.raw.collection(batch.name).insertMany(batch.rows, { ordered: true });
    batch = undefined;
  };
  for await (const text of lines) {
    if (text.trim() === "") continue;
    if (isFirst) {
      checkHeader(text);
      isFirst = false;
      continue;
    }
    const line = BSON.EJSON.parse(text, { relaxed: false }) as Line;
    if ("collection" in line) {
      await flush();
      await createIndexes(database, line);
      continue;
    }
    if (batch && (batch.name !== line.in || batch.rows.length >= batchDocuments)) await flush();
    batch ??= { name: line.in, rows: [] };
    batch.rows.push(line.document);
    documents++;
  }
  if (isFirst) throw new Error("The file is empty, so it is not an export of this service.");
  await flush();
  return documents;
}

function checkHeader(text: string): void {
  let header: Partial<Header> = {};
  try {
    header = JSON.parse(text) as Partial<Header>;
  } catch {
    // Reported below, like every other line that is not a header.
  }
  if (header.format !== format) throw new Error("The file is not an export of this service.");
  if (header.version !== formatVersion)
    throw new Error(`The export has format ${header.version}; this program reads ${formatVersion}.`);
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
