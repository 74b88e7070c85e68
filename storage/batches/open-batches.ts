/** Concurrent calls that share a command to the database. */

/** Maximum number of items in a batch. */
const maxItems = 50;
/** Time after which a batch no longer delays the next one. */
const slowMs = 20;

/**
 * Returns a function that adds an item to the next batch. A batch is sent at the end of the turn of the event loop of
 * its first item, and while one is under way, further items wait for the next. So no item is in a batch that was sent
 * before it was added. `send` handles its own failures.
 */
export function openBatches<T>(
  send: (items: T[]) => Promise<void>,
  atEndOfTurn: (start: () => void) => void = setImmediate,
): (item: T) => void {
  let waiting: T[] = [];
  let isScheduled = false;
  /** Batches under way that delay the next one. */
  let delaying = 0;

  function schedule(): void {
    if (isScheduled || delaying > 0 || waiting.length === 0) return;
    isScheduled = true;
    atEndOfTurn(start);
  }

  function start(): void {
    isScheduled = false;
    const batch = waiting.splice(0, maxItems);
    let isDelaying = true;
    delaying += 1;
    const release = () => {
      if (isDelaying) delaying -= 1;
      isDelaying = false;
      clearTimeout(timer);
      schedule();
    };
    const timer = setTimeout(release, slowMs);
    void send(batch).finally(release);
  }

  return (item) => {
    waiting.push(item);
    schedule();
  };
}
