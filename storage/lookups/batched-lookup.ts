/**
 * Look-ups by key whose concurrent calls share a query. A query is sent at the end of the turn of the event loop of its
 * first call, and while one is under way, further calls wait for the next. A call never joins a query that was sent
 * before it, so it sees every write that was acknowledged before the call.
 */

/** Maximum number of keys in a query. */
const maxKeys = 50;
/** Time after which a query no longer delays the next one. */
const slowMs = 20;

interface Waiting<V> {
  found: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/**
 * Turns a query of several keys, each given once, into a look-up of one key. Callers of the same key may get the same
 * object, which they must not change. If a query fails, all of its callers get the error.
 */
export function batchedLookup<V>(
  query: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, Waiting<V>>();
  let isScheduled = false;
  /** Queries under way that delay the next one. */
  let delaying = 0;

  function schedule(): void {
    if (isScheduled || delaying > 0 || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(send);
  }

  function send(): void {
    isScheduled = false;
    const batch = waiting.size <= maxKeys ? waiting : new Map([...waiting].slice(0, maxKeys));
    waiting = batch === waiting ? new Map() : new Map([...waiting].slice(maxKeys));
    let isDelaying = true;
    delaying += 1;
    const release = () => {
      if (isDelaying) delaying -= 1;
      isDelaying = false;
      clearTimeout(timer);
      schedule();
    };
    const timer = setTimeout(release, slowMs);
    query([...batch.keys()])
      .then(
        (found) => batch.forEach(({ resolve }, key) => resolve(found.get(key))),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      )
      .finally(release);
  }

  return (key) => {
    let call = waiting.get(key);
    if (!call) {
      call = withResolvers<V>();
      waiting.set(key, call);
      schedule();
    }
    return call.found;
  };
}

function withResolvers<V>(): Waiting<V> {
  const parts: Partial<Waiting<V>> = {};
  parts.found = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts as Waiting<V>;
}

/** Condition on a field for one value or several: the planner has a faster way for a single one. */
export const oneOf = (values: string[]) => (values.length === 1 ? values[0]! : { $in: values });
