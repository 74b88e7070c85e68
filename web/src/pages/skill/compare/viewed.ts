import { useCallback, useMemo, useState } from "react";
import type { ViewedFiles } from "../../../parts/diff/rows.ts";

const storageKey = "svc-viewed";
/** Marks that are kept, the latest ones; without names, since they stay in the browser after a sign-out. */
const kept = 2000;

/** FNV-1a of a text, twice with different starts. Collisions would mark a file too many. */
function digestOf(text: string): string {
  const parts = [0x811c9dc5, 0x01000193].map((start) => {
    let hash = start;
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
    return hash.toString(36);
  });
  return parts.join("");
}

const readMarks = (): string[] => localStorage.getItem(storageKey)?.split(" ") ?? [];

/** Files of a comparison that the reader has marked as viewed, kept in this browser. */
export function useViewed(skillId: string, from: string, to: string): ViewedFiles {
  const [marks, setMarks] = useState(() => new Set(readMarks()));
  const keyOf = useCallback(
    (path: string) => digestOf(`${skillId} ${from} ${to} ${path}`),
    [skillId, from, to],
  );
  const has = useCallback((path: string) => marks.has(keyOf(path)), [marks, keyOf]);
  const mark = useCallback(
    (path: string, isViewed: boolean) => {
      const key = keyOf(path);
      // Read again: another tab may have added some.
      const others = readMarks().filter((one) => one !== key);
      const next = (isViewed ? [...others, key] : others).slice(-kept);
      localStorage.setItem(storageKey, next.join(" "));
      setMarks(new Set(next));
    },
    [keyOf],
  );
  return useMemo(() => ({ has, mark }), [has, mark]);
}
