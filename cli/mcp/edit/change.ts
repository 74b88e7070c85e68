/** Changes of a configuration file, independent of its syntax. */

/** `add` and `drop` are about the item of a list that has an id. */
export type Change =
  | { kind: "set"; path: readonly string[]; value: unknown }
  | { kind: "remove"; path: readonly string[] }
  | { kind: "add"; path: readonly string[]; item: { readonly id: string } }
  | { kind: "drop"; path: readonly string[]; id: string };

/** The form of an object or list before the first edit: its text if it was empty, or null if it was missing. */
export interface Undo {
  path: readonly string[];
  was: string | null;
}

export interface Edited {
  text: string;
  undo: Undo[];
}

/** Content of a file as plain data. */
export type Plain = Record<string, unknown>;

/** Applies a change to content. */
export function applyChange(content: Plain, change: Change): void {
  let at = content;
  for (const name of change.path.slice(0, -1)) {
    if (change.kind === "remove" && at[name] === undefined) return;
    at = (at[name] ??= Object.create(null)) as Plain;
  }
  const name = change.path.at(-1)!;
  if (change.kind === "set") at[name] = change.value;
  else if (change.kind === "remove") delete at[name];
  else {
    const list = (at[name] ?? []) as { id?: unknown }[];
    const id = change.kind === "add" ? change.item.id : change.id;
    const present = list.findIndex((item) => item?.id === id);
    if (change.kind === "add")
      list.splice(present === -1 ? list.length : present, present === -1 ? 0 : 1, change.item);
    else if (present !== -1) list.splice(present, 1);
    if (change.kind === "add" || at[name] !== undefined) at[name] = list;
  }
}
