import { useEffect, useRef } from "react";

/** Keys to handlers: "j", "g e" (two strokes within a second), "mod+k". */
export type KeyMap = Record<string, (event: KeyboardEvent) => void>;

const storageKey = "svc-keys";
/** Whether single letters are active; users can turn them off (WCAG 2.1.4). */
export const areKeysOn = (): boolean => localStorage.getItem(storageKey) !== "off";
export const setKeysOn = (on: boolean): void => localStorage.setItem(storageKey, on ? "on" : "off");

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
const isDialogOpen = () => document.querySelector('[role="dialog"][aria-modal="true"]') !== null;

/**
 * Handles the keys of a page. Letters are ignored in fields, with modifiers, below a dialog and while composing text;
 * `Enter` and `Space` also on controls, which have them already.
 */
export function useKeys(map: KeyMap): void {
  const current = useRef(map);
  useEffect(() => {
    current.current = map;
  });
  useEffect(() => {
    let first = "";
    let firstAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const run = (name: string) => {
        const handler = current.current[name];
        if (!handler) return false;
        event.preventDefault();
        handler(event);
        return true;
      };
      if (event.ctrlKey || event.metaKey) {
        run(`mod+${key}`);
        return;
      }
      if (event.altKey || isField(event.target) || !areKeysOn() || isDialogOpen()) return;
      const isControl =
        event.target instanceof HTMLElement && event.target.closest("a, button, summary") !== null;
      if (isControl && (key === "Enter" || key === " ")) return;
      const isPair = first !== "" && event.timeStamp - firstAt < 1000 && run(`${first} ${key}`);
      first = isPair ? "" : key;
      firstAt = event.timeStamp;
      if (!isPair) run(key);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
