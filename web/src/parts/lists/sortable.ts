/** The order of a list that its reader changes with a pointer or with keys. */
import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";

/** A list with one of its items at another place. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)];
}

interface Drag {
  from: number;
  to: number;
}

export interface Sortable {
  /** Place at which the item at an index is shown, while one is dragged too. */
  placeOf(index: number): number;
  /** Index of the dragged item. */
  dragged: number | undefined;
  /** Properties of the button that moves the item at an index; its row is the nearest `li`. */
  handleOf(index: number): {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onPointerUp: () => void;
    onPointerCancel: () => void;
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  };
}

/** Keys that move an item, and where to. */
const placesByKey: Record<string, (index: number, last: number) => number> = {
  ArrowUp: (index) => index - 1,
  ArrowDown: (index) => index + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** `onMove` gets the new order. A key moves at once; a drag when the pointer is released. */
export function useSortable<T>(items: readonly T[], onMove: (order: T[], to: number) => void): Sortable {
  const [drag, setDrag] = useState<Drag>();
  /** Middles of the rows when the drag began, since the rows move with it. */
  const middles = useRef<number[]>([]);
  const end = () => {
    setDrag(undefined);
    if (drag && drag.from !== drag.to) onMove(moved(items, drag.from, drag.to), drag.to);
  };
  return {
    placeOf: (index) =>
      drag
        ? moved(
            items.map((_, at) => at),
            drag.from,
            drag.to,
          ).indexOf(index)
        : index,
    dragged: drag?.from,
    handleOf: (index) => ({
      onPointerDown(event) {
        if (event.button !== 0) return;
        const row = event.currentTarget.closest("li");
        const rows = Array.from(row?.parentElement?.children ?? []);
        middles.current = rows.map((one) => {
          const { top, height } = one.getBoundingClientRect();
          return top + height / 2;
        });
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: index, to: index });
      },
      onPointerMove(event) {
        if (!drag) return;
        const { from } = drag;
        const others = middles.current.filter((_, at) => at !== from);
        const to = others.filter((middle) => middle < event.clientY).length;
        if (to !== drag.to) setDrag({ from, to });
      },
      onPointerUp: end,
      onPointerCancel: () => setDrag(undefined),
      onKeyDown(event) {
        const place = placesByKey[event.key];
        if (!place || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const to = place(index, items.length - 1);
        if (to !== index && to >= 0 && to < items.length) onMove(moved(items, index, to), to);
      },
    }),
  };
}
