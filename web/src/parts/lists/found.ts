/** Lists that are read as a whole, page by page, or as one page with the number of all entries. */
import { useEffect } from "react";

/** A list as `useQuery` or `useInfiniteQuery` returns it. */
export interface Found<T> {
  data?: T[] | { pages: { data: T[] }[] } | { entries: T[] };
  error: Error | null;
  isPending: boolean;
  isPlaceholderData: boolean;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  isFetchNextPageError?: boolean;
  fetchNextPage?(): unknown;
  refetch(): unknown;
}

/** The items of the list, of all its pages that are loaded, or of its shown page. */
export function itemsOf<T>({ data }: Pick<Found<T>, "data">): T[] {
  if (data === undefined) return [];
  if (Array.isArray(data)) return data;
  return "pages" in data ? data.pages.flatMap((page) => page.data) : data.entries;
}

type Next = Pick<
  Found<unknown>,
  "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage"
>;

/** Requests the next page while it is wanted. A page that failed is not requested again without the user. */
export function useNextPage(found: Next, isWanted: boolean): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = found;
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage?.();
  }, [isWanted, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
}
