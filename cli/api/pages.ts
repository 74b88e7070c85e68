/** A page of a list, and a list read page by page. */
export interface Page<T> {
  items: T[];
  nextCursor: string | undefined;
  /** Further fields of the response. */
  fields?: Readonly<Record<string, unknown>>;
}

/** All items of a paged list, up to `max`. */
export async function collectPages<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  max = Infinity,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { items: next, nextCursor } = await fetchPage(cursor);
    items.push(...next);
    // A cursor that repeats would loop forever.
    if (nextCursor !== undefined && nextCursor === cursor) break;
    cursor = nextCursor;
  } while (cursor !== undefined && items.length < max);
  return { items: items.slice(0, max), more: cursor !== undefined || items.length > max };
}
