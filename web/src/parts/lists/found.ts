/** Lists that are read page by page. */
import { useEffect } from "react";

/** A list of pages as `useInfiniteQuery` returns it. */
export interface Found<T> {
  data?: { pages: { data: T[] }[] };
  error: Error | null;
  isPending: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage(): unknown;
  refetch(): unknown;
}

/** The items of all pages that are loaded. */
export const itemsOf = <T>({ data }: Pick<Found<T>, "data">): T[] =>
  data?.pages.flatMap((page) => page.data) ?? [];

type Next = Pick<
  Found<unknown>,
  "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage"
>;

/** Requests the next page while it is wanted. A page that failed is not requested again without the user. */
export function useNextPage(found: Next, isWanted: boolean): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = found;
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isWanted, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
}
