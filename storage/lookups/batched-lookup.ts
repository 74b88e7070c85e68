/**
 * Look-ups by key whose concurrent calls share a query (`batches/open-batches.ts`). A call never joins a query that was
 * sent before it, so it sees every write that was acknowledged before the call.
 */
import { openBatches } from "../batches/open-batches.ts";

/** Maximum number of keys in a query. */
const maxKeys = 50;

interface Waiting<V> {
  key: string;
  found: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/**
 * Turns a query of several keys, each given once, into a look-up of one key. Callers of the same key may get the same
 * object, which they must not change. If a query fails, all of its callers get the error. `schedule`: calls its
 * argument when the next query may be sent.
 */
export function batchedLookup<V>(
  query: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  schedule?: (start: () => void) => void,
): (key: string) => Promise<V | undefined> {
  const waiting = new Map<string, Waiting<V>>();
  const sendNext = schedule
    ? () => schedule(() => void send().then((deliver) => deliver()))
    : openBatches<void>(send);

  /** Resolves to a function that delivers the results. */
  async function send(): Promise<() => void> {
    const batch = [...waiting.values()].slice(0, maxKeys);
    for (const { key } of batch) waiting.delete(key);
    if (waiting.size > 0) sendNext();
    try {
      const found = await query(batch.map(({ key }) => key));
      return () => {
        for (const { key, resolve } of batch) resolve(found.get(key));
      };
    } catch (error) {
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
  }

  return (key) => {
    let call = waiting.get(key);
    if (!call) {
      call = newWaiting<V>(key);
      if (waiting.size === 0) sendNext();
      waiting.set(key, call);
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
