/**
 * Copies of drafts that are written while the page is left. The browser's database gives up writes of a page that ends
 * before they are complete; this storage is written at once.
 */
import type { WorkFile } from "../working-set.ts";
import type { Draft } from "./draft.ts";

const prefix = "svc-draft-";

interface CopiedFile extends Omit<WorkFile, "data"> {
  data?: string;
  /** Whether the file has bytes that a text can't hold: they are in the draft that the database stores. */
  isElsewhere?: true;
}
type Copy = Omit<Draft, "files"> & { files: CopiedFile[] };

export function writeCopy(draft: Draft): void {
  const files = draft.files.map(({ data, ...file }): CopiedFile => {
    if (typeof data === "string") return { ...file, data };
    return data ? { ...file, isElsewhere: true } : file;
  });
  try {
    localStorage.setItem(prefix + draft.id, JSON.stringify({ ...draft, files } satisfies Copy));
  } catch {
    // Too large: what remains is the write to the database.
  }
}

/** Removes a copy, unless it is newer than `savedAt`. */
export function removeCopy(id: string, savedAt = Infinity): void {
  const copy = readCopy(prefix + id);
  if (copy && copy.savedAt <= savedAt) localStorage.removeItem(prefix + id);
}

export function listCopies(owner: string): Copy[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => readCopy(key) ?? [])
    .filter((copy) => copy.owner === owner);
}

function readCopy(key: string): Copy | undefined {
  const text = localStorage.getItem(key);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as Copy;
  } catch {
    localStorage.removeItem(key);
    return undefined;
  }
}

/**
 * The draft of a copy, with bytes from the draft that the database stores. A file whose bytes are not there has those
 * of the version that it is based on, or is left out.
 */
export function draftOf(copy: Copy, stored: Draft | undefined): Draft {
  const files = copy.files.flatMap(({ isElsewhere, ...file }): WorkFile[] => {
    if (!isElsewhere) return [file];
    const { data } = stored?.files.find(({ path }) => path === file.path) ?? {};
    if (data === undefined) return file.from === undefined ? [] : [file];
    return [{ ...file, data }];
  });
  return { ...copy, files };
}
