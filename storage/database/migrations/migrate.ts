/** Runs the migrations that a database lacks, one at a time and in one process, while others wait for them. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Collection } from "mongodb";
import { isDuplicate, type Database } from "../../database.ts";
import type { DeclaredIndexes } from "../indexes.ts";
import type { Migration } from "./list.ts";

export const migrationsCollection = "migrations";

interface MigrationsDoc {
  _id: "migrations";
  /** Numbers of the migrations that are complete. */
  done?: number[];
  /** Complete migrations that a release must have to read the data. */
  breaking?: number[];
  lease?: { holder: string; until: Date };
}

/** Time after which the lease of a crashed process expires. A running one renews it three times in this time. */
const leaseMs = 30_000;
const pollMs = 250;
const _id = "migrations";

export interface Done {
  migration: Migration;
  /** Duration in milliseconds. */
  ms: number;
}

/** Returns the migrations that this process has run. Throws if a newer release has changed the form of the data. */
export async function migrate(
  database: Database,
  declared: DeclaredIndexes,
  migrations: readonly Migration[],
): Promise<Done[]> {
  const state = database.collection<MigrationsDoc>(migrationsCollection);
  const ran: Done[] = [];
  const holder = randomUUID();
  for (;;) {
    const { done = [], breaking = [] } = (await state.findOne({ _id })) ?? {};
    const known = new Set(migrations.map(({ number }) => number));
    const foreign = breaking.find((number) => !known.has(number));
    if (foreign !== undefined)
      throw new Error(
        `A newer release has migrated the database (migration ${foreign}), and this one can't read it: start the ` +
          "newer release, or restore a backup from before the upgrade.",
      );
    const next = migrations.find(({ number }) => !done.includes(number));
    if (!next) return ran;
    if (!(await claim(state, holder))) {
      await wait(pollMs);
      continue;
    }
    const started = performance.now();
    if (await run(state, holder, next, () => next.run(database, declared)))
      ran.push({ migration: next, ms: performance.now() - started });
  }
}

/** Forgets which migrations are complete: an import has the form of the release that exported it. */
export async function forgetMigrations(database: Database): Promise<void> {
  await database.collection<MigrationsDoc>(migrationsCollection).deleteOne({ _id });
}

/** Takes the lease, unless another process holds it. */
async function claim(state: Collection<MigrationsDoc>, holder: string): Promise<boolean> {
  const now = Date.now();
  const lease = { holder, until: new Date(now + leaseMs) };
  const isFree = { $or: [{ "lease.until": { $lt: new Date(now) } }, { lease: { $exists: false } }] };
  try {
    const { matchedCount, upsertedCount } = await state.updateOne(
      { _id, ...isFree },
      { $set: { lease } },
      { upsert: true },
    );
    return matchedCount + upsertedCount === 1;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Runs a migration under the lease, and releases it. False if another process has run it by now. */
async function run(
  state: Collection<MigrationsDoc>,
  holder: string,
  { number, isBreaking }: Migration,
  work: () => Promise<void>,
): Promise<boolean> {
  const own = { _id, "lease.holder": holder } as const;
  const renew = (): void => {
    const until = new Date(Date.now() + leaseMs);
    state.updateOne(own, { $set: { "lease.until": until } }).catch(() => undefined);
  };
  const renewing = setInterval(renew, leaseMs / 3);
  try {
    // Between the check and the lease, another process may have completed it.
    const isNeeded = (await state.findOne({ ...own, done: number })) === null;
    if (isNeeded) await work();
    const lists = { done: number, ...(isBreaking && { breaking: number }) };
    await state.updateOne(own, { $addToSet: lists });
    return isNeeded;
  } finally {
    clearInterval(renewing);
    // If it fails, the lease ends by its time, and an error of the migration itself is thrown.
    await state.updateOne(own, { $unset: { lease: true } }).catch(() => undefined);
  }
}
