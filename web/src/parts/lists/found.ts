/** Lists that are read as a whole or page by page. */
import { useEffect } from "react";

/** A list as `useQuery` or `useInfiniteQuery` returns it. */
export interface Found<T> {
  data?: T[] | { pages: { data: T[] }[] };
  error: Error | null;
  isPending: boolean;
  isPlaceholderData: boolean;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  isFetchNextPageError?: boolean;
  fetchNextPage?(): unknown;
  refetch(): unknown;
}

/** The items of the list, or of all its pages that are loaded. */
export function itemsOf<T>({ data }: Pick<Found<T>, "data">): T[] {
  if (data === undefined) return [];
  return "pages" in data ? data.pages.flatMap((page) => page.data) : data;
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
