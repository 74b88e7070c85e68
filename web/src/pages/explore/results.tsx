import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState, type ReactNode } from "react";
import type { CatalogItem } from "../../api/catalog.ts";
import { useKeys } from "../../parts/keys.ts";
import { useNextPage, type Found } from "../../parts/lists/found.ts";
import { Peek } from "./peek.tsx";
import { Row, rowHeight } from "./row.tsx";

/** Rows before the end of the list from which the next page is requested. */
const prefetchRows = 40;

interface Props {
  items: CatalogItem[];
  found: Found<CatalogItem> & { isPlaceholderData: boolean };
  filters: ReactNode;
  children: ReactNode;
}

/** The list, of which only the rows in view are drawn, and the preview of the chosen one. */
export function Results({ items, found, filters, children }: Props) {
  const { list, body, drawn, rows } = useRows(items.length, found);
  const { at, setAt, chosen } = useChoice(items, (index) => rows.scrollToIndex(index, { align: "auto" }));
  return (
    <>
      <div className="list" ref={list} data-scroll-restoration-id="explore-list" tabIndex={-1}>
        {filters}
        {items.length > 0 && (
          <div
            ref={body}
            role="listbox"
            aria-label="Skills"
            aria-activedescendant={chosen ? `row-${at}` : undefined}
            tabIndex={0}
            data-dimmed={found.isPlaceholderData}
            style={{ height: rows.getTotalSize(), position: "relative" }}
          >
            {drawn.map(({ index, start }) => {
              const item = items[index];
              if (!item) return null;
              const top = start - rows.options.scrollMargin;
              return (
                <Row
                  key={item.publicId}
                  item={item}
                  index={index}
                  top={top}
                  isChosen={index === at}
                  onChoose={setAt}
                />
              );
            })}
          </div>
        )}
        {children}
      </div>
      {chosen && <Peek item={chosen} />}
    </>
  );
}

/** The rows in view, and further pages of the list as its end comes near. */
function useRows(count: number, found: Props["found"]) {
  const list = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useNextPage(found, last > count - prefetchRows);
  return { list, body, drawn, rows };
}

/** The chosen item, which J and K move and Enter opens. */
function useChoice(items: CatalogItem[], scrollTo: (index: number) => void) {
  const navigate = useNavigate();
  const [at, setAt] = useState(0);
  const chosen = items[at];
  const move = (step: number) => {
    const next = Math.max(0, Math.min(items.length - 1, at + step));
    setAt(next);
    scrollTo(next);
  };
  const open = () => {
    if (chosen) void navigate({ href: `/${chosen.tenantSlug}/${chosen.slug}` });
  };
  useKeys({ j: () => move(1), k: () => move(-1), Enter: open });
  return { at, setAt, chosen };
}
