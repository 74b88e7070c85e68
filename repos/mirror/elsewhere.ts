/** Finds skills of a commit outside `skills/`, which a sync doesn't read, in the usual layouts of repositories. */
import { compareUtf8 } from "../../contract/checks/package-rules.ts";
import { isOwnSkill, isSearched } from "../../contract/package/skill-layouts.ts";
import { skillsFolder } from "./layout.ts";
import type { ScanContext } from "./scan.ts";
import { isFolder, rootFileOf } from "./trees.ts";
import type { RemoteSkill } from "./types.ts";

/** Limit of folders that are read. */
const maxFolders = 20_000;

/**
 * Paths of the skills, sorted: directories, and the SKILL.md of the root. Those in a directory with the files of one in
 * `known` are copies of it, and left out.
 */
export async function findElsewhere(
  { trees }: Pick<ScanContext, "trees">,
  commit: string,
  known: readonly Pick<RemoteSkill, "tree">[],
): Promise<string[]> {
  const { treeOid } = await trees.commit(commit);
  const copies = new Set(known.map(({ tree }) => tree));
  const found: string[][] = [];
  let rootFile: string | undefined;
  let looked = 0;
  for (let level = [{ names: [] as string[], tree: treeOid }]; level.length > 0;) {
    looked += level.length;
    if (looked > maxFolders) break;
    const read = await trees.trees(level.map(({ tree }) => tree));
    const below: typeof level = [];
    for (const { names, tree } of level) {
      const entries = read.get(tree) ?? [];
      const file = rootFileOf(entries);
      if (names.length === 0) rootFile = file;
      else if (file !== undefined) {
        if (!copies.has(tree)) found.push(names);
        continue;
      }
      for (const entry of entries) {
        if (entry.name === undefined || !isFolder(entry)) continue;
        const inside = [...names, entry.name];
        if (inside[0] !== skillsFolder && isSearched(inside)) below.push({ names: inside, tree: entry.oid });
      }
    }
    level = below;
  }
  const own = found.filter((names) => rootFile === undefined || isOwnSkill(names, true));
  return [...(rootFile === undefined ? [] : [rootFile]), ...own.map((names) => names.join("/"))].sort(
    compareUtf8,
  );
}
