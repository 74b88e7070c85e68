/** An entry of a log, as far as it decides about runs. */
interface Logged {
  id: string;
  action: string;
  actor: { id: string | null; name: string };
}

/** Entries of one kind by one actor, one after the other, newest first. */
export interface Run<T extends Logged> {
  id: string;
  entries: [T, ...T[]];
}

/** Fewer are shown one by one. */
const minRun = 3;

/** Splits a page of a log into runs; an entry that is not part of one is a run of its own. */
export function runsOf<T extends Logged>(entries: readonly T[]): Run<T>[] {
  const runs: Run<T>[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last && isAlike(last.entries[0], entry)) last.entries.push(entry);
    else runs.push({ id: entry.id, entries: [entry] });
  }
  return runs.flatMap((run) =>
    run.entries.length >= minRun
      ? [run]
      : run.entries.map((entry): Run<T> => ({ id: entry.id, entries: [entry] })),
  );
}

const isAlike = (a: Logged, b: Logged): boolean =>
  a.action === b.action && a.actor.id === b.actor.id && a.actor.name === b.actor.name;
