import type { Hunk } from "../../../parts/diff/rows.ts";

/** A file of a comparison in the editor. */
export interface ChangedFile {
  path: string;
  /** State of the file, such as `new` or `not text`. */
  note: string;
  hunks: Hunk[];
  /** Button that takes over the file, or its mode. */
  action?: ChangeAction;
  /** Buttons that take over one change each, in the order of the hunks. */
  hunkActions?: ChangeAction[];
}

/** A button of a row. */
export interface ChangeAction {
  label: string;
  /** Accessible name, which distinguishes the button from those of other rows. */
  name: string;
  run: () => void;
}

/** Header of a hunk, as in a unified diff. */
export const hunkHeader = ({ oldStart, oldLines, newStart, newLines }: Hunk): string =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
