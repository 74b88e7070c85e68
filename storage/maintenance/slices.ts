/** Bulk changes in slices, so that no single operation takes long. */
import type { Collection, Document, Filter, UpdateFilter } from "mongodb";
import { listIds } from "../ids.ts";

/** Removes up to `slice` documents and returns how many, so that a caller can repeat it until none are left. */
export async function removeSlice<T extends Document & { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  slice = 1000,
): Promise<number> {
  const ids = await listIds(collection, filter, { limit: slice });
  if (ids.length === 0) return 0;
  return (await collection.deleteMany({ ...filter, _id: { $in: ids } })).deletedCount;
}

/**
 * Updates the documents of a filter, and returns how many were changed. The update must not change the indexed fields
 * of the filter, or documents could be visited twice.
 */
export async function updateInSlices<T extends Document & { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  update: UpdateFilter<T> | Document[],
  slice = 1000,
): Promise<number> {
  let changed = 0;
  let ids: string[] = [];
  const write = async () => {
    const result = await collection.updateMany({ ...filter, _id: { $in: ids } }, update);
    changed += result.modifiedCount;
    ids = [];
  };
  for await (const row of collection.find(filter, { projection: { _id: 1 }, batchSize: slice })) {
    ids.push(row._id);
    if (ids.length >= slice) await write();
  }
  if (ids.length > 0) await write();
  return changed;
}

/** Ids of the connections of a collection's rows, each once. `field` has the id, and an index begins with it. */
export async function* connectionIdsIn<T extends Document & { _id: string }>(
  collection: Collection<T>,
  field: "connectionId" | "_id" = "connectionId",
): AsyncGenerator<string> {
  for (let after = ""; ;) {
    const next = await collection.findOne({ [field]: { $gt: after } } as Filter<T>, {
      sort: { [field]: 1 },
      projection: { [field]: 1 },
    });
    if (next === null) return;
    yield (after = String(next[field]));
  }
}
