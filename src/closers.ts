/** Functions that close what was opened, in the order of opening. */
export type Closers = (() => Promise<unknown> | void)[];

/** Closes everything, the last opened first, even if some of it fails. */
export async function closeAll(closers: Closers): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "The service did not close cleanly.");
}

/** Closes everything if the work fails. */
export async function closingOnError(closers: Closers, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}
