import { Button } from "@mantine/core";
import { useId, type ComponentType, type ReactNode } from "react";
import { Problem } from "../states/problem.tsx";
import { SkeletonRows } from "../states/skeleton-rows.tsx";
import { itemsOf, type Found } from "./found.ts";

interface MoreProps {
  found: Found<unknown>;
  children?: string;
  /** In a panel, the button is in its footer. */
  inPanel?: boolean;
}

/** Button for the next page of a list, or why that page did not load. Nothing after the last page. */
export function More({ found, children = "Show more", inPanel = false }: MoreProps) {
  if (!found.hasNextPage) return null;
  const next = () => void found.fetchNextPage?.();
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

interface ListProps<T> {
  found: Found<T>;
  /** Those of the loaded items that are shown; without it, all of them. */
  items?: T[];
  /** Height of a row in pixels. */
  rowHeight?: number;
  /** Rows of the placeholder while the list loads. */
  rows?: number;
  /** Content without items: a sentence, or an element. */
  empty?: ReactNode;
  /** Text of the button for the next page. */
  more?: string;
  inPanel?: boolean;
  /** Shows a failure of the list. */
  Failure?: ComponentType<{ error: unknown; retry: () => void }>;
  children: (items: T[]) => ReactNode;
}

/** A list in each of its states. The loaded items stay when a later request fails. */
export function List<T>(props: ListProps<T>) {
  const { found, rowHeight = 48, rows, empty, more, inPanel, Failure = Problem, children } = props;
  const { items = itemsOf(found) } = props;
  const failed = found.error !== null && !found.isFetchNextPageError && (
    <Failure error={found.error} retry={() => void found.refetch()} />
  );
  return (
    <>
      {found.isPending && <SkeletonRows rows={rows} height={rowHeight} />}
      {failed && inPanel ? <div className="body">{failed}</div> : failed}
      {found.data && items.length === 0 && (
        <>{typeof empty === "string" ? <p className={inPanel ? "body sub" : "sub"}>{empty}</p> : empty}</>
      )}
      {items.length > 0 && <div data-dimmed={found.isPlaceholderData}>{children(items)}</div>}
      <More found={found} inPanel={inPanel}>
        {more}
      </More>
    </>
  );
}

interface SectionProps<T> extends ListProps<T> {
  /** Name of the section, as a heading, or for screen readers only. */
  title?: string;
  label?: string;
  /** Controls next to the heading. */
  aside?: ReactNode;
  /** Controls and notes above the list. */
  filter?: ReactNode;
}

/** A section of a page that consists of a list. */
export function ListSection<T>({ title, label, aside, filter, ...list }: SectionProps<T>) {
  const id = useId();
  const { inPanel } = list;
  const Head = inPanel ? "header" : "div";
  return (
    <section
      className={inPanel ? "panel" : "stack gap-3"}
      aria-label={label}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (
        <Head className={inPanel ? undefined : "row wrap between"}>
          <h2 id={id} className={inPanel ? "grow" : undefined}>
            {title}
          </h2>
          {aside}
        </Head>
      )}
      {filter}
      <List {...list} />
    </section>
  );
}
