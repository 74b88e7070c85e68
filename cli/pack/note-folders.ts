/** Tells a person in which folders skills were found, unless it is one. */
import { countByFolder } from "../../contract/package/skill-layouts.ts";
import type { Context } from "../context.ts";
import { plainLine } from "../terminal/table.ts";

export function noteFolders({ output }: Context, paths: readonly string[]): void {
  const counts = countByFolder(paths);
  if (counts.size < 2) return;
  const listed = [...counts].map(
    ([folder, count]) => `${count} in ${folder === "" ? "the root" : plainLine(folder)}`,
  );
  output.note(`Found ${paths.length} skills: ${listed.join(", ")}.`);
}
