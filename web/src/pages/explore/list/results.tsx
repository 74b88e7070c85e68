import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import type { SearchHit, SkillSearch } from "../../../api/search.ts";
import { useKeys } from "../../../parts/keys.ts";
import { useNextPage, type Found } from "../../../parts/lists/found.ts";
import { Peek } from "../peek/peek.tsx";
import { Row } from "./row.tsx";

/** Rows before the end of the list from which the next page is requested. */
const prefetchRows = 40;
/** Heights of a row in pixels: on phones, texts have two lines. */
const heights = { wide: 58, phone: 110 };
/** The choice may move faster than its facts can be read. */
const peekDelayMs = 120;

interface Props {
  search: SkillSearch;
  hits: SearchHit[];
  found: Found<SearchHit> & { isPlaceholderData: boolean };
  filters: ReactNode;
  notes: ReactNode;
  children: ReactNode;
}

/** The list, of which only the rows in view are drawn, and the preview of the chosen one. */
export function Results({ search, hits, found, filters, notes, children }: Props) {
  const hasPeek = useMediaQuery("(min-width: 1201px)", true, { getInitialValueInEffect: false });
  const isNarrow = useMediaQuery("(min-width: 721px) and (max-width: 1799px)", true, {
    getInitialValueInEffect: false,
  });
  const { list, body, drawn, rows, height } = useRows(hits.length, found);
  const { at, chosen, choose, onKeyDown } = useChoice({
    search,
    hits,
    hasPeek,
    scrollTo: (index) => rows.scrollToIndex(index, { align: "auto" }),
  });
  const [peeked] = useDebouncedValue(chosen, peekDelayMs, { leading: true });
  return (
    <>
      <div className="list" ref={list} data-scroll-restoration-id="explore-list" tabIndex={-1}>
        {filters}
        {hits.length > 0 && (
          <>
            {notes}
            <div
              ref={body}
              role="listbox"
              aria-label="Skills"
              aria-activedescendant={chosen ? `row-${at}` : undefined}
              tabIndex={0}
              data-dimmed={found.isPlaceholderData}
              style={{ height: rows.getTotalSize(), position: "relative" }}
              onKeyDown={onKeyDown}
            >
              {drawn.map(({ index, start }) => {
                const hit = hits[index];
                if (!hit) return null;
                return (
                  <Row
                    key={hit.skill.id}
                    hit={hit}
                    index={index}
                    top={start - rows.options.scrollMargin}
                    height={height}
                    isChosen={index === at}
                    isNarrow={isNarrow}
                    onChoose={choose}
                  />
                );
              })}
            </div>
          </>
        )}
        {children}
      </div>
      {hasPeek && peeked && chosen && <Peek key={peeked.skill.id} hit={peeked} />}
    </>
  );
}

/** The rows in view, and further pages of the list as its end comes near. */
function useRows(count: number, found: Props["found"]) {
  const list = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery("(max-width: 720px)", false, { getInitialValueInEffect: false });
  const height = isPhone ? heights.phone : heights.wide;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => list.current,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useNextPage(found, last > count - prefetchRows);
  return { list, body, drawn, rows, height };
}

interface Choosing {
  search: SkillSearch;
  hits: SearchHit[];
  hasPeek: boolean;
  scrollTo: (index: number) => void;
}

/** The chosen hit, the first one of a new search. J, K and the arrows move it, and Enter opens it. */
function useChoice({ search, hits, hasPeek, scrollTo }: Choosing) {
  const navigate = useNavigate();
  const [choice, setChoice] = useState({ search, at: 0 });
  const at = choice.search === search ? choice.at : 0;
  const chosen = hits[at];
  const move = (step: number) => {
    const next = Math.max(0, Math.min(hits.length - 1, at + step));
    setChoice({ search, at: next });
    scrollTo(next);
  };
  const open = useCallback(
    (hit: SearchHit | undefined) => {
      if (hit) void navigate({ href: addressOf(hit) });
    },
    [navigate],
  );
  /** Without a preview, a click opens the skill. */
  const choose = useCallback(
    (index: number, event: React.MouseEvent) => {
      setChoice({ search, at: index });
      const hit = hits[index];
      if (hit && (event.ctrlKey || event.metaKey)) globalThis.open(addressOf(hit), "_blank", "noopener");
      else if (!hasPeek) open(hit);
    },
    [search, hits, hasPeek, open],
  );
  useKeys({ j: () => move(1), k: () => move(-1), Enter: () => open(chosen) });
  const onKeyDown = (event: React.KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      Home: -hits.length,
      End: hits.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  };
  return { at, chosen, choose, onKeyDown };
}

const addressOf = ({ skill }: SearchHit): string => `/${skill.tenantSlug}/${skill.slug}`;
