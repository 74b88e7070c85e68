import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Problem } from "../problem.tsx";
import { SkeletonRows } from "../skeleton-rows.tsx";
import type { Found } from "./found.ts";

interface MoreProps {
  found: Found<unknown>;
  children: string;
  /** In a panel, the button is in its footer. */
  inPanel?: boolean;
}

/** Button for the next page of a list, or why that page did not load. Nothing after the last page. */
export function More({ found, children, inPanel = false }: MoreProps) {
  if (!found.hasNextPage) return null;
  const next = () => void found.fetchNextPage();
  const Frame = inPanel ? "footer" : "div";
  return (
    <Frame className={inPanel ? undefined : "more"}>
      {found.isFetchNextPageError ? (
        <Problem error={found.error} retry={next} />
      ) : (
        <Button
          size={inPanel ? "xs" : "sm"}
          variant="default"
          loading={found.isFetchingNextPage}
          onClick={next}
        >
          {children}
        </Button>
      )}
    </Frame>
  );
}

interface ListProps<T> extends Omit<MoreProps, "children"> {
  found: Found<T>;
  /** Those of the loaded items that are shown. */
  items: readonly T[];
  /** Height of a row in pixels. */
  rowHeight: number;
  rows?: number;
  /** Shown if there are no items. */
  empty: ReactNode;
  /** Text of the button for the next page. */
  more: string;
  children: ReactNode;
}

/** A list of pages in each of its states. The loaded items stay when a later request fails. */
export function PagedList<T>(props: ListProps<T>) {
  const { found, items, rowHeight, rows = 4, empty, more, inPanel, children } = props;
  const failed = found.error !== null && !found.isFetchNextPageError && (
    <Problem error={found.error} retry={() => void found.refetch()} />
  );
  return (
    <>
      {found.isPending && <SkeletonRows rows={rows} height={rowHeight} />}
      {failed && inPanel ? <div className="body">{failed}</div> : failed}
      {found.data && items.length === 0 && empty}
      {items.length > 0 && children}
      <More found={found} inPanel={inPanel}>
        {more}
      </More>
    </>
  );
}
