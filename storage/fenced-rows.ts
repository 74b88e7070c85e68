/**
 * Rows of a connection's sync state, one per skill. A row has the fence of its writer; a writer with an older fence
 * changes nothing.
 */
import { isOnlyThereAlready } from "./outbox.ts";

const writeBatchSize = 1000;

export interface FencedRow {
  /** `connectionId:skillId`. */
  _id: string;
  connectionId: string;
  tenantId: string;
  /** Fence of the lease under which it was written. */
  fence: number;
}

interface FencedWrite<Row> {
  replaceOne: {
    filter: { _id: string; fence: { $lte: number } };
    replacement: Row & Omit<FencedRow, "_id">;
    upsert: true;
  };
}

/** Replaces rows, by `write`. Rows of a later holder of the lease are not changed. */
export async function putFenced<Row extends { skillId: string }>(
  connection: { _id: string; tenantId: string },
  fence: number,
  rows: readonly Row[],
  write: (writes: FencedWrite<Row>[]) => Promise<unknown>,
): Promise<void> {
  const { _id: connectionId, tenantId } = connection;
  for (let at = 0; at < rows.length; at += writeBatchSize) {
    const writes = rows.slice(at, at + writeBatchSize).map((row): FencedWrite<Row> => {
      const _id = `${connectionId}:${row.skillId}`;
      const replacement = { ...row, connectionId, tenantId, fence };
      return { replaceOne: { filter: { _id, fence: { $lte: fence } }, replacement, upsert: true } };
    });
    try {
      await write(writes);
    } catch (error) {
      // If the filter skips a newer row, the upsert fails with a duplicate id.
      if (!isOnlyThereAlready(error)) throw error;
    }
  }
}

/** Removes rows, by `remove`, except those of a later holder of the lease. */
export async function removeFenced(
  connectionId: string,
  fence: number,
  skillIds: readonly string[],
  remove: (filter: { _id: { $in: string[] }; fence: { $lte: number } }) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < skillIds.length; at += writeBatchSize) {
    const ids = skillIds.slice(at, at + writeBatchSize).map((skillId) => `${connectionId}:${skillId}`);
    await remove({ _id: { $in: ids }, fence: { $lte: fence } });
  }
}
