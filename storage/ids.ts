/** Reads of ids without their documents. */
import type { Collection, Document, Filter, FindOptions } from "mongodb";

export async function listIds<T extends Document & { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  order: Pick<FindOptions, "sort" | "skip" | "limit"> = {},
): Promise<string[]> {
  const rows = await collection.find(filter, { ...order, projection: { _id: 1 } }).toArray();
  return rows.map((row) => row._id as string);
}
