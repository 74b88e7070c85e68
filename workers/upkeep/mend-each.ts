import type { App } from "../../src/app.ts";

/**
 * Works on what a list gives, slice after slice, until it gives less than a full one. What was mended is not in the
 * next slice. One document that can't be mended must not keep the others from it; it is met again in the next run.
 */
export async function mendEach<T extends { _id: string }>(
  app: App,
  slice: number,
  list: (limit: number) => Promise<T[]>,
  mend: (one: T) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const found = await list(slice);
    let mended = 0;
    for (const one of found) {
      try {
        await mend(one);
        mended++;
      } catch (error) {
        app.log.error({ error, id: one._id }, "a document could not be mended");
      }
    }
    if (found.length < slice || mended === 0) return;
  }
}
