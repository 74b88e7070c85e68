import type { App } from "../../src/app.ts";

/**
 * Repairs the documents of a list, batch by batch, until a batch is not full. Repaired documents are not in the next
 * batch. A document that can't be repaired must not block the others; the next run retries it.
 */
export async function repairEach<T extends { _id: string }>(
  app: App,
  batch: number,
  list: (limit: number) => Promise<T[]>,
  repair: (one: T) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const found = await list(batch);
    let repaired = 0;
    for (const one of found) {
      try {
        await repair(one);
        repaired++;
      } catch (error) {
        app.log.error({ error, id: one._id }, "a document could not be repaired");
      }
    }
    if (found.length < batch || repaired === 0) return;
  }
}
