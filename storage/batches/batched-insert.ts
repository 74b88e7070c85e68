/** Inserts whose concurrent calls share a command (`open-batches.ts`). Each succeeds or fails as if it were alone. */
import {
  MongoBulkWriteError,
  MongoServerError,
  type Collection,
  type Document,
  type OptionalUnlessRequiredId,
} from "mongodb";
import { openBatches } from "./open-batches.ts";

interface Waiting<T> {
  row: T;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Throws what `insertOne` would throw: a duplicate error, or that of a lost response for all calls of a command.
 * `collectMs`: time in which rows are collected, instead of one turn of the event loop.
 */
export function batchedInsert<T extends Document>(
  rows: Collection<T>,
  collectMs?: number,
): (row: T) => Promise<void> {
  const add = openBatches<Waiting<T>>(async (batch) => {
    const failures = await insertAll(
      rows,
      batch.map(({ row }) => row),
    );
    return () => {
      for (const [at, { resolve, reject }] of batch.entries())
        if (failures.has(at)) reject(failures.get(at));
        else resolve();
    };
  }, collectMs);
  return (row) => new Promise((resolve, reject) => add({ row, resolve, reject }));
}

/** The errors of the rows that failed, by their position. */
async function insertAll<T extends Document>(
  collection: Collection<T>,
  rows: T[],
): Promise<Map<number, unknown>> {
  const [first] = rows as OptionalUnlessRequiredId<T>[];
  try {
    // A command for a single row has less overhead.
    if (first && rows.length === 1) await collection.insertOne(first);
    else await collection.insertMany(rows as OptionalUnlessRequiredId<T>[], { ordered: false });
    return new Map();
  } catch (error) {
    const all = new Map<number, unknown>(rows.map((_, at) => [at, error]));
    // Rows without an error of their own were inserted, unless the write concern was not met.
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return all;
    const failed = [error.writeErrors].flat();
    if (failed.length === 0) return all;
    return new Map(
      failed.map(({ index, code, errmsg }) => [
        index,
        new MongoServerError({ message: errmsg ?? "the row was not inserted", code }),
      ]),
    );
  }
}
