/**
 * Look-ups by key whose concurrent calls share a query (`batches/open-batches.ts`). A call never joins a query that was sent before
 * it, so it sees every write that was acknowledged before the call.
 */
import { openBatches } from "../batches/open-batches.ts";

interface Waiting<V> {
  key: string;
  found: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/**
 * Turns a query of several keys, each given once, into a look-up of one key. Callers of the same key may get the same
 * object, which they must not change. If a query fails, all of its callers get the error. `atEndOfTurn`: calls its
 * argument at the end of the turn of the event loop.
 */
export function batchedLookup<V>(
  query: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  atEndOfTurn?: (start: () => void) => void,
): (key: string) => Promise<V | undefined> {
  const waiting = new Map<string, Waiting<V>>();
  const add = openBatches<Waiting<V>>(async (batch) => {
    const keys = batch.map(({ key }) => key);
    for (const key of keys) waiting.delete(key);
    try {
      const found = await query(keys);
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }, atEndOfTurn);

  return (key) => {
    let call = waiting.get(key);
    if (!call) {
      call = newWaiting<V>(key);
      waiting.set(key, call);
      add(call);
    }
    return call.found;
  };
}

function newWaiting<V>(key: string): Waiting<V> {
  const parts: Partial<Waiting<V>> = { key };
  parts.found = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts as Waiting<V>;
}

/** Condition on a field for one value or several: the planner has a faster way for a single one. */
export const oneOf = (values: string[]) => (values.length === 1 ? values[0]! : { $in: values });
