import { Button } from "@mantine/core";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";

export interface Pages {
  /** Cursor of the page that is shown; undefined for the first one. */
  cursor: string | undefined;
  number: number;
  next: (cursor: string) => void;
  previous: () => void;
}

/** Pages of a list that is read by cursors. A list with another `key` begins with its first page. */
export function usePages(key: string): Pages {
  const [place, setPlace] = useState<{ key: string; cursors: string[] }>({ key, cursors: [] });
  const cursors = place.key === key ? place.cursors : [];
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    next: (cursor) => setPlace({ key, cursors: [...cursors, cursor] }),
    previous: () => setPlace({ key, cursors: cursors.slice(0, -1) }),
  };
}

interface Props {
  pages: Pages;
  /** Cursor of the page after the one that is shown; null after the last one. */
  nextCursor: string | null | undefined;
  isPending: boolean;
  /** Names the list, as in "users". */
  label: string;
}

/** Buttons for the previous and the next page; nothing for a list of one page. */
export function Pager({ pages, nextCursor, isPending, label }: Props) {
  if (pages.number === 1 && !nextCursor) return null;
  return (
    <nav className="row end" aria-label={`Pages of ${label}`}>
      <span className="meta" aria-live="polite">
        Page {pages.number}
      </span>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<ChevronLeft size={14} />}
        disabled={pages.number === 1}
        onClick={pages.previous}
      >
        Previous
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        rightSection={<ChevronRight size={14} />}
        disabled={!nextCursor}
        loading={isPending}
        onClick={() => nextCursor && pages.next(nextCursor)}
      >
        Next
      </Button>
    </nav>
  );
}
