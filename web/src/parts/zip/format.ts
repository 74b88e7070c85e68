/** The files that go into a zip, and those that come out of one. */
import type { FileMode } from "../../../../contract/checks/package-rules.ts";

export interface ZipFile {
  path: string;
  mode: FileMode;
  data: Blob;
}

/** A file that the user dropped or chose. */
export interface DroppedFile extends ZipFile {
  /** The source states no modes: a file that it replaces keeps its own. */
  isGuessed: boolean;
}
