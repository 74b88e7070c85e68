/** The rules for what is left out of a folder on disk, with the ignore files of the folder and of those around it. */
import { lstat, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { ignoreFiles, ignoreLimits } from "../../contract/package/ignore-patterns.ts";
import { LeaveOutRules } from "../../contract/package/leave-out.ts";
import { hasCode } from "../errors.ts";
import { slashed } from "./skill-folders.ts";

/** Rules with the patterns that git applies to the folder, if it is in a working tree. */
export async function openLeaveOutRules(folder: string): Promise<LeaveOutRules> {
  const rules = new LeaveOutRules();
  const root = await workingTree(folder);
  if (root === undefined || root === folder) return rules;
  const path = slashed(relative(root, folder));
  const around = new LeaveOutRules();
  const folders = ["", ...path.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"))].slice(0, -1);
  for (const one of folders) await addIgnoreFiles(around, join(root, one), one);
  // A folder that is ignored itself was chosen nevertheless.
  const isIgnored = [...folders.slice(1), path].some((one) => around.isIgnored(one, true));
  return isIgnored ? rules : around.below(path);
}

/** Adds the ignore files of a folder. `path`: the folder as the rules know it. */
export async function addIgnoreFiles(rules: LeaveOutRules, folder: string, path: string): Promise<void> {
  for (const name of ignoreFiles) {
    const file = join(folder, name);
    try {
      const info = await lstat(file);
      // As in git, an ignore file that is a link is not followed.
      if (info.isFile() && info.size <= ignoreLimits.bytes)
        rules.addIgnoreFile(path, await readFile(file, "utf8"));
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    }
  }
}

/** The working tree of git around a folder, which has a `.git`. */
async function workingTree(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (
      await stat(join(at, ".git")).then(
        () => true,
        () => false,
      )
    )
      return at;
    if (dirname(at) === at) return undefined;
  }
}
