/** Encrypted values in documents of any collection, as the rotation of keys finds and replaces them. */
import type { Document, Filter } from "mongodb";
import type { Database } from "../database.ts";

/** A field with an encrypted value, which begins with the id of its key. */
export interface SealedPath {
  collection: string;
  path: string;
}

export function openSealedValues(database: Database) {
  const of = (name: string) => database.collection<Document & { _id: string }>(name);
  // Ids of keys have word characters and hyphens only.
  const prefix = (...keyIds: readonly string[]) => `^v1\\.(${keyIds.join("|")})\\.`;
  return {
    /** Documents whose value is encrypted by another key than these. */
    eachOfOtherKeys: ({ collection, path }: SealedPath, ...keyIds: readonly string[]) =>
      of(collection).find(
        { [path]: { $type: "string", $not: { $regex: prefix(...keyIds) } } } as Filter<
          Document & { _id: string }
        >,
        { projection: { [path]: 1, tenantId: 1, userId: 1 } },
      ),
    count: ({ collection, path }: SealedPath, keyId: string): Promise<number> =>
      of(collection).countDocuments({ [path]: { $regex: prefix(keyId) } }),
    /** Replaces a value, unless it has changed since. `more`: further fields that describe it. */
    async replace(
      { collection, path }: SealedPath,
      id: string,
      sealed: { from: string; to: string },
      more: Record<string, string>,
    ): Promise<boolean> {
      const filter = { _id: id, [path]: sealed.from } as Filter<Document & { _id: string }>;
      const result = await of(collection).updateOne(filter, { $set: { [path]: sealed.to, ...more } });
      return result.modifiedCount === 1;
    },
  };
}
