/**
 * Aggregations that are started in one turn of the event loop as one command: a request that looks up its caller and
 * its skill waits for one round trip, and the engine plans and answers one command.
 */
import type { Document } from "mongodb";
import type { Database } from "../database.ts";

interface Part<T extends Document = Document> {
  collection: string;
  pipeline: Document[];
  owns(row: T): boolean;
  resolve(rows: T[]): void;
  reject(error: unknown): void;
}

export interface JoinedReads {
  /** Calls `start` at the end of the turn, in which it calls `read`. */
  schedule(start: () => void): void;
  /** `owns`: whether a result is one of this read, rather than of another one that shares its command. */
  read<T extends Document>(collection: string, pipeline: Document[], owns: (row: T) => boolean): Promise<T[]>;
}

export function openJoinedReads(database: Database): JoinedReads {
  let scheduled: (() => void)[] = [];
  let parts: Part[] = [];

  function endTurn(): void {
    const starts = scheduled;
    scheduled = [];
    for (const start of starts) start();
    const joined = parts;
    parts = [];
    if (joined.length > 0) void send(database, joined);
  }

  return {
    schedule(start) {
      if (scheduled.push(start) === 1) setImmediate(endTurn);
    },
    read: <T extends Document>(collection: string, pipeline: Document[], owns: (row: T) => boolean) =>
      new Promise<T[]>((resolve, reject) => {
        const part: Part<T> = { collection, pipeline, owns, resolve, reject };
        parts.push(part);
      }),
  };
}

/** All rows come with the first answer: by default, it has 101. */
const mostRows = 100_000;

async function send(database: Database, [first, ...others]: Part[]): Promise<void> {
  if (!first) return;
  const joined = others.map(({ collection, pipeline }) => ({ $unionWith: { coll: collection, pipeline } }));
  try {
    const rows = await database
      .collection(first.collection)
      .aggregate([...first.pipeline, ...joined], { batchSize: mostRows })
      .toArray();
    if (others.length === 0) first.resolve(rows);
    else for (const { owns, resolve } of [first, ...others]) resolve(rows.filter(owns));
  } catch (error) {
    for (const { reject } of [first, ...others]) reject(error);
  }
}
