import "./sortable.css";
import { GripVertical } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useSortable } from "./sortable.ts";

interface Props<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Name of an item in messages for screen readers. */
  nameOf: (item: T) => string;
  /** Without it, the order can't be changed. */
  onMove?: (order: T[]) => void;
  children: (item: T) => ReactNode;
}

/** A list whose items have an order: a handle moves one with the pointer, or with the arrow keys, Home and End. */
export function SortableList<T>({ label, items, keyOf, nameOf, onMove, children }: Props<T>) {
  const [said, setSaid] = useState("");
  const { placeOf, dragged, handleOf } = useSortable(items, (order, to) => {
    setSaid(`${nameOf(order[to]!)} is now ${to + 1} of ${order.length}.`);
    onMove?.(order);
  });
  return (
    <>
      <ol className="panel sortable" aria-label={label}>
        {items.map((item, index) => (
          // An element that moved in the document would lose the pointer that drags it.
          <li
            key={keyOf(item)}
            style={{ order: placeOf(index) }}
            data-dragged={index === dragged || undefined}
          >
            {onMove && items.length > 1 && (
              <button
                type="button"
                className="handle"
                aria-label={`Move ${nameOf(item)}, ${index + 1} of ${items.length}`}
                title="Drag, or use the arrow keys"
                {...handleOf(index)}
              >
                <GripVertical size={16} aria-hidden="true" />
              </button>
            )}
            <div className="grow">{children(item)}</div>
          </li>
        ))}
      </ol>
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}
