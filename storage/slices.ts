/** Removal of many documents in parts, so that none of them runs long. */
import type { Collection, Document, Filter } from "mongodb";

/** Removes up to `slice` documents; answers how many went, so that a caller repeats it until none did. */
export async function removeSlice<T extends Document & { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  slice = 1000,
): Promise<number> {
  const rows = await collection
    .find(filter, { projection: { _id: 1 } })
    .limit(slice)
    .toArray();
  if (rows.length === 0) return 0;
  const ids = rows.map((row) => row._id as string);
  return (await collection.deleteMany({ ...filter, _id: { $in: ids } })).deletedCount;
}
