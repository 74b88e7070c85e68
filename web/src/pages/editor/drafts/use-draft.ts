import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Draft } from "./draft.ts";
import { copyDraft, removeDraft, saveDraft } from "./drafts.ts";

const pauseMs = 400;

export type DraftState = "none" | "saved" | "failed";

/** Keeps the edit in this browser: after each pause, and at once when the tab is hidden or closed. */
export function useDraft(draft: Omit<Draft, "savedAt">, isDirty: boolean, flush: () => void) {
  const [state, setState] = useState<DraftState>("none");
  const latest = useRef({ draft, isDirty });
  const isStored = useRef(false);
  const isEnded = useRef(false);
  // A write that has begun is complete before the next one: a removal must not be overtaken by it.
  const writing = useRef(Promise.resolve());
  useEffect(() => {
    latest.current = { draft, isDirty };
  });
  const { id, base, files, message } = draft;
  useEffect(() => {
    const store = async () => {
      const now = latest.current;
      if (isEnded.current) return;
      try {
        if (now.isDirty) await saveDraft({ ...now.draft, savedAt: Date.now() });
        else if (isStored.current) await removeDraft(now.draft.id);
        isStored.current = now.isDirty;
        setState(now.isDirty ? "saved" : "none");
      } catch {
        setState("failed");
      }
    };
    const enqueue = () => {
      writing.current = writing.current.then(store);
    };
    const timer = setTimeout(enqueue, pauseMs);
    const onHide = () => {
      if (document.visibilityState !== "hidden") return;
      flushSync(flush);
      const now = latest.current;
      if (now.isDirty && !isEnded.current) copyDraft({ ...now.draft, savedAt: Date.now() });
      enqueue();
    };
    document.addEventListener("visibilitychange", onHide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onHide);
    };
    // The parts of the draft are listed, since it is a new object in each rendering.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [id, base, files, message, isDirty, flush]);
  /** Removes the draft permanently, once it is published: nothing may store it again as the page is left. */
  const end = (): Promise<void> => {
    isEnded.current = true;
    return writing.current.then(() => removeDraft(id)).catch(() => undefined);
  };
  return { state, end };
}
