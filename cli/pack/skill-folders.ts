/** Finds skill folders, which have a SKILL.md, below a folder. */
import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { PackageError } from "../../contract/package-rules.ts";
import { reasonByNameOf } from "../../contract/package/left-out.ts";

export const rootFile = "SKILL.md";
/** Maximum depth of folders in `skills/`; pass the path of deeper ones. */
const searchedDepth = 12;

export async function isSkillFolder(full: string): Promise<boolean> {
  const names = await readdir(full);
  return names.some((name) => name.toLowerCase() === rootFile.toLowerCase());
}

/** The only file of a folder, if it is a RULE.md: a rule, as in the repositories that the service writes. */
async function ruleFileIn(full: string): Promise<string | undefined> {
  const names = (await readdir(full)).filter(
    (name) => reasonByNameOf(name) === undefined && name !== ".svc.json",
  );
  return names.length === 1 && isRuleFile(names[0]!) ? names[0] : undefined;
}

/**
 * The error for a RULE.md that was found in a folder and is a link: it may lead to any file of the user, such as one
 * with passwords. A path that the user names may be a link.
 */
export async function linkFault(full: string, path: string): Promise<PackageError | undefined> {
  if (!(await lstat(full)).isSymbolicLink()) return undefined;
  return new PackageError("symlink", `${JSON.stringify(path)} is a link: put the file itself there.`);
}

/** Whether a file is a rule by its name. */
export function isRuleFile(file: string): boolean {
  return basename(file).toLowerCase() === "rule.md";
}

/** Skill folders, and RULE.md files, in the folder itself and at any depth of its `skills/`; sorted by path. */
export async function skillsBelow(full: string, path: string): Promise<string[]> {
  const found: string[] = [];
  const search = async (at: string, shown: string, depth: number): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (!entry.isDirectory() || reasonByNameOf(entry.name) !== undefined) continue;
      const [below, name] = [join(at, entry.name), inFolder(shown, entry.name)];
      const rule = await ruleFileIn(below);
      if (await isSkillFolder(below)) found.push(name);
      else if (rule !== undefined) found.push(inFolder(name, rule));
      else if (depth > 0) await search(below, name, depth - 1);
      else if (shown === path && entry.name === "skills") await search(below, name, searchedDepth);
    }
  };
  await search(full, path, basename(full) === "skills" ? searchedDepth : 0);
  return found.sort();
}

/** A path with `/`, also on Windows. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** `path` inside a folder, with `/`. */
export function inFolder(folder: string, path: string): string {
  const base = slashed(folder).replace(/\/+$/, "");
  return folder === "." ? path : `${base}/${path}`;
}
