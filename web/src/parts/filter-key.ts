/**
 * The key `/`, which puts the focus into the filter of the page. A filter that appears after the key was pressed takes
 * the text that was typed until then.
 */
import { useEffect, type RefObject } from "react";

type Field = RefObject<HTMLInputElement | null>;
type Receiver = (field: HTMLInputElement) => void;

/** Filters of the page. */
const fields = new Set<Field>();
let waiting: Receiver | undefined;

/** Makes a field the one that `/` goes to. */
export function useFilterKey(field: Field): void {
  useEffect(() => {
    fields.add(field);
    if (field.current && waiting) {
      const receive = waiting;
      waiting = undefined;
      receive(field.current);
    }
    return () => {
      fields.delete(field);
    };
  }, [field]);
}

/** Puts the focus into the filter of the page. Returns whether there is one. */
export function focusFilter(): boolean {
  const shown = [...fields].find(({ current }) => current !== null && current.offsetParent !== null);
  shown?.current?.focus();
  return shown !== undefined;
}

/** Calls the receiver for the next filter that appears. Returns a function that ends the wait. */
export function awaitFilter(receiver: Receiver): () => void {
  waiting = receiver;
  return () => {
    if (waiting === receiver) waiting = undefined;
  };
}

/** Adds text to a field as if it was typed there. */
export function typeInto(field: HTMLInputElement, text: string): void {
  field.focus();
  field.setRangeText(text, field.value.length, field.value.length, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
