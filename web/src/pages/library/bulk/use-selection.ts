import { useMemo, useRef, useState } from "react";
import type { Skill } from "../../../api/folders.ts";
import type { Row } from "../tree.ts";

/** Skills that can be changed at once. */
export const maxSelected = 100;

export interface Selection {
  ids: ReadonlySet<string>;
  skills: Skill[];
  /** Selects the skill of a row or removes it; a range reaches from the row that was selected before. */
  select: (key: string, isRange: boolean) => void;
  keep: (skills: readonly Skill[]) => void;
}

/** Skills that are selected for one change of all. Those that are gone, or filtered out, are not among them. */
export function useSelection(rows: Row[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string>(undefined);
  const skills = useMemo(
    () => rows.flatMap(({ item }) => (item.kind === "skill" && ids.has(item.skill.id) ? [item.skill] : [])),
    [rows, ids],
  );
  const select = (key: string, isRange: boolean) => {
    const to = rows.findIndex((row) => row.key === key);
    const from = isRange ? rows.findIndex((row) => row.key === anchor.current) : to;
    anchor.current = key;
    const span = rows.slice(Math.min(from < 0 ? to : from, to), Math.max(from, to) + 1);
    const reached = span.flatMap(({ item }) => (item.kind === "skill" ? [item.skill.id] : []));
    setIds((old) => {
      const isRemoved = !isRange && reached.every((id) => old.has(id));
      const next = isRemoved ? [...old].filter((id) => !reached.includes(id)) : [...old, ...reached];
      return new Set([...new Set(next)].slice(0, maxSelected));
    });
  };
  return { ids, skills, select, keep: (kept) => setIds(new Set(kept.map(({ id }) => id))) };
}
