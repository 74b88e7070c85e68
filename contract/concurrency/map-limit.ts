/**
 * Maps the items with at most `limit` calls of `work` at a time; the results are in the order of the items. After the
 * first failure no further call starts, and the failure is thrown once all running calls have ended.
 */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const failures: unknown[] = [];
  const runNext = async () => {
    for (const [i, item] of rest) {
      if (failures.length > 0) return;
      try {
        results[i] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runNext));
  if (failures.length > 0) throw failures[0];
  return results;
}
