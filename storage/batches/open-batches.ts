/** Concurrent calls that share a command to the database. */

/** Maximum number of items in a batch. */
const maxItems = 50;
/** Time after which a batch no longer delays the next one. */
const slowMs = 20;

/**
 * Returns a function that adds an item to the next batch. A batch is sent at the end of the turn of the event loop of
 * its first item, or `collectMs` after it. While one is under way, further items wait for the next. So no item is in a
 * batch that was sent before it was added.
 *
 * `send` handles its own failures and resolves to a function that delivers the results. The next batch is sent before
 * they are delivered, so that the engine works on it while this process handles the results.
 */
export function openBatches<T>(
  send: (items: T[]) => Promise<() => void>,
  collectMs?: number,
): (item: T) => void {
  let waiting: T[] = [];
  let isScheduled = false;
  /** Batches under way that delay the next one. */
  let delaying = 0;
  const canStart = () => !isScheduled && delaying === 0 && waiting.length > 0;

  function schedule(): void {
    if (!canStart()) return;
    isScheduled = true;
    if (collectMs === undefined) setImmediate(() => void start());
    else setTimeout(() => void start(), collectMs);
  }

  async function start(): Promise<void> {
    isScheduled = false;
    const batch = waiting.splice(0, maxItems);
    delaying += 1;
    let isDelaying = true;
    const release = () => {
      if (isDelaying) delaying -= 1;
      isDelaying = false;
      clearTimeout(timer);
    };
    const timer = setTimeout(() => {
      release();
      schedule();
    }, slowMs);
    const deliver = await send(batch);
    // Requests that arrived in this turn of the event loop may still add items.
    setImmediate(() => {
      release();
      if (collectMs === undefined && canStart()) void start();
      else schedule();
    });
    setImmediate(deliver);
  }

  return (item) => {
    waiting.push(item);
    schedule();
  };
}
