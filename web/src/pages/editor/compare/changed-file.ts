import type { Hunk } from "../../../parts/diff/rows.ts";

/** A file of a comparison in the editor. */
export interface ChangedFile {
  path: string;
  /** Its state, as `new` or `not a text`. */
  note: string;
  hunks: Hunk[];
  /** Takes over the file, or its mode. */
  action?: ChangeAction;
  /** Take over one change each, in the order of the hunks. */
  hunkActions?: ChangeAction[];
}

/** A button of a row. */
export interface ChangeAction {
  label: string;
  /** Its name for screen readers, which tells it from those of other rows. */
  name: string;
  run: () => void;
}

/** The place of a change, as a diff writes it. */
export const hunkPlace = ({ oldStart, oldLines, newStart, newLines }: Hunk): string =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
