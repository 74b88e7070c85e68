/** Finds skill folders, which have a SKILL.md, in the layouts of repositories. */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { PackageError } from "../../contract/checks/package-rules.ts";
import { reasonByNameOf } from "../../contract/package/left-out.ts";
import {
  isOwnSkill,
  isSearchStart,
  isSearched,
  searchedLayouts,
} from "../../contract/package/skill-layouts.ts";
import { CliError, hasCode } from "../errors.ts";

export const rootFile = "SKILL.md";

function hasSkillFile(names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === rootFile.toLowerCase());
}

/** The only file of a folder, if it is a RULE.md: a rule, as in the repositories that the service writes. */
function ruleFileOf(given: readonly string[]): string | undefined {
  const names = given.filter((name) => reasonByNameOf(name) === undefined && name !== ".svc.json");
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

/**
 * The skills of a repository, or of any folder with skills below it, sorted by path: folders with a SKILL.md, and
 * RULE.md files. Undefined for a folder that is one skill. Links are followed within the folder, so that each skill is
 * found once. A SKILL.md next to other skills is one of them, as a text.
 */
export async function findSkills(full: string, path: string): Promise<string[] | undefined> {
  const names = await readdir(full);
  const isSkill = hasSkillFile(names);
  const isRepository = names.includes(".git");
  const isPart = (folder: readonly string[]) => isSkill && !isOwnSkill(folder, isRepository);
  const below = (await searchBelow(full)).filter(({ folder }) => !isPart(folder));
  if (isSkill && below.length === 0) return undefined;
  const found = below.map(({ folder, file }) => [...folder, ...(file === undefined ? [] : [file])].join("/"));
  const root = names.find((name) => name.toLowerCase() === rootFile.toLowerCase());
  return [...(root === undefined ? [] : [root]), ...found].sort().map((each) => inFolder(path, each));
}

/** The error for a folder in which `findSkills` found nothing. */
export function noSkillIn(path: string): CliError {
  return new CliError(
    "E_PACK_FAILED",
    `There is no SKILL.md in ${path}, nor in the folders in which skills are looked for: ${searchedLayouts}. ` +
      "Add one, or give the path of a skill.",
    { kind: "content", ref: path, rule: "root_file_missing" },
  );
}

/** A skill by the names of its path; `file` is its RULE.md. */
interface FoundFolder {
  folder: readonly string[];
  file?: string;
}

async function searchBelow(root: string): Promise<FoundFolder[]> {
  const base = await realpath(root);
  // A path to `skills/` or to a tool's folder is searched as within its repository.
  const above = isSearchStart(basename(base)) ? [basename(base)] : [];
  const found = new Map<string, FoundFolder>();
  const links: string[][] = [];

  const visit = async (folder: readonly string[]): Promise<void> => {
    const at = join(base, ...folder);
    const entries = await readdir(at, { withFileTypes: true }).catch((error: unknown) => {
      // Only what was named has to be readable.
      if (folder.length > 0 && hasCode(error, "EACCES", "EPERM", "ENOENT")) return [];
      throw error;
    });
    const names = entries.map(({ name }) => name);
    const [isSkill, file] = [hasSkillFile(names), ruleFileOf(names)];
    if (folder.length > 0 && (isSkill || file !== undefined)) {
      found.set(folder.join("/"), isSkill || file === undefined ? { folder } : { folder, file });
      return;
    }
    for (const entry of entries) {
      const inside = [...folder, entry.name];
      if (reasonByNameOf(entry.name) !== undefined || !isSearched([...above, ...inside])) continue;
      if (entry.isDirectory()) await visit(inside);
      else if (entry.isSymbolicLink()) links.push(inside);
    }
  };
  await visit([]);
  // The folders themselves come first; what a link leads to is mostly one of them.
  for (const link of links) {
    const target = relative(base, await realpath(join(base, ...link)).catch(() => base));
    const folder = target.split(sep);
    if (target === "" || folder[0] === ".." || isAbsolute(target) || found.has(folder.join("/"))) continue;
    if (isAround(found, folder) || !(await stat(join(base, target))).isDirectory()) continue;
    await visit(folder);
  }
  return [...found.values()];
}

/** Whether a folder contains a skill that was found, or is part of one. */
function isAround(found: ReadonlyMap<string, unknown>, folder: readonly string[]): boolean {
  const path = `${folder.join("/")}/`;
  return [...found.keys()].some((one) => one.startsWith(path) || path.startsWith(`${one}/`));
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
