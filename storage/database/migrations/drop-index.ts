import { MongoServerError } from "mongodb";
import type { Database } from "../../database.ts";

/** Drops an index of an earlier release, if the collection has it. */
export async function dropIndex(database: Database, collection: string, name: string): Promise<void> {
  try {
    await database.raw.collection(collection).dropIndex(name);
  } catch (error) {
    if (!(error instanceof MongoServerError) || !absent.has(Number(error.code))) throw error;
  }
}

/** The codes NamespaceNotFound and IndexNotFound. */
const absent = new Set([26, 27]);
