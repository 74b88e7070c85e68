/** Edits of one version carried over to a newer one. */
import type { BaseReader } from "../base-reader.ts";
import { textOfBlob } from "../files/dropped-files.ts";
import { removedFiles, startFiles, statusOf, type WorkFile } from "../working-set.ts";
import { carryOver } from "./compare-texts.ts";

export interface CarriedOver {
  files: WorkFile[];
  /** Paths that both sides changed in the same lines: the edit is kept, and replaces the newer text. */
  conflicts: string[];
}

export async function carryOverFiles(
  files: readonly WorkFile[],
  older: BaseReader,
  newer: BaseReader,
): Promise<CarriedOver> {
  const result = new Map(startFiles(newer.base!).map((file) => [file.path, file]));
  const conflicts: string[] = [];
  for (const file of files) {
    const { path } = file;
    if (statusOf(file, older.base) === "same") continue;
    const theirs = result.get(path);
    if (file.data === undefined && file.from === path) {
      if (theirs) result.set(path, { ...theirs, mode: file.mode });
      continue;
    }
    const data = file.data ?? (await older.read(file.from ?? path));
    const isOld = older.base!.files.some((one) => one.path === path);
    const merged =
      isOld && theirs && typeof data === "string" ? await merge(path, data, older, newer) : undefined;
    if (merged === undefined && (theirs || isOld)) conflicts.push(path);
    const from = theirs ? { from: path } : {};
    result.set(path, { path, mode: file.mode, data: merged ?? data, ...from });
  }
  for (const { path } of removedFiles(files, older.base)) result.delete(path);
  return { files: [...result.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)), conflicts };
}

async function merge(
  path: string,
  edited: string,
  older: BaseReader,
  newer: BaseReader,
): Promise<string | undefined> {
  const [before, now] = await Promise.all(
    [older, newer].map(async (reader) => textOfBlob(await reader.read(path))),
  );
  return before === undefined || now === undefined ? undefined : carryOver(before, edited, now);
}
