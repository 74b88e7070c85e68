/** Creates the declared indexes that a database lacks; a start of the service mostly finds all of them. */
import { MongoServerError, type Db, type IndexDescription } from "mongodb";

export type DeclaredIndexes = Readonly<Record<string, IndexDescription[]>>;

/** An index as it is declared, or as the engine describes it: with the version of its format. */
type Spec = IndexDescription & { v?: number };

interface Catalogued {
  name: string;
  /** A view has none. */
  md: { indexes?: { ready: boolean; spec: Spec }[] };
}

/**
 * Sends one command for all collections, since `createIndexes` for each of them takes most of the time of a start.
 * Creating an index that exists changes nothing, so any index that is not recognized is created again.
 */
export async function ensureIndexes(
  db: Db,
  declared: DeclaredIndexes,
  readCatalog = () => catalogOf(db),
): Promise<void> {
  const existing = await existingIndexes(readCatalog);
  for (const [collection, indexes] of Object.entries(declared)) {
    const missing = indexes.filter((index) => !existing.has(identityOf(collection, index)));
    if (missing.length > 0) await db.collection(collection).createIndexes(missing);
  }
}

/**
 * Identities of all complete indexes. Empty if the server refuses its catalog to this user, which hosted servers do
 * with codes of their own. An error that is not about the catalog occurs again as indexes are created.
 */
async function existingIndexes(readCatalog: () => Promise<Catalogued[]>): Promise<ReadonlySet<string>> {
  try {
    const identities = (await readCatalog()).flatMap(({ name, md }) =>
      (md.indexes ?? []).filter(({ ready }) => ready).map(({ spec }) => identityOf(name, spec)),
    );
    return new Set(identities);
  } catch (error) {
    if (error instanceof MongoServerError) return new Set();
    throw error;
  }
}

const catalogOf = (db: Db): Promise<Catalogued[]> =>
  db.client
    .db("admin")
    .aggregate<Catalogued>([{ $listCatalog: {} }, { $match: { db: db.databaseName } }])
    .toArray();

/** Equal for a declared index and the one that was created from it, except for text indexes. */
function identityOf(collection: string, { v: _version, name, ...spec }: Spec): string {
  const key = spec.key instanceof Map ? [...spec.key] : Object.entries(spec.key);
  const options = Object.entries({ ...spec, key }).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([collection, name ?? key.flat().join("_"), options]);
}
