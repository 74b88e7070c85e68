/** The layouts of repositories with skills: the folders in which the client and the plan of a sync look for them. */

/** Folders of tools, in whose `skills/` projects keep skills. */
export const toolFolders = [
  ".agents",
  ".claude",
  ".cline",
  ".codex",
  ".cursor",
  ".github",
  ".opencode",
  ".windsurf",
] as const;

/** Where skills are looked for, as messages say it. */
export const searchedLayouts =
  "skills/, plugins/, .claude/skills, .agents/skills, .github/skills, .cursor/skills, and the folders of the root " +
  "with one level of categories";

/** Maximum depth of folders below a `skills/` or `plugins/`. */
const searchedDepth = 12;
/** Depth of a skill in a category folder. */
const categoryDepth = 2;

/** Folders whose SKILL.md files are samples, output or other projects' code. */
const otherFolders = new Set([
  "__tests__",
  "build",
  "coverage",
  "dist",
  "fixtures",
  "node_modules",
  "out",
  "target",
  "test",
  "testdata",
  "tests",
  "vendor",
]);

/** Folders that a skill itself has. */
const partsOfSkill = new Set([
  "agents",
  "assets",
  "examples",
  "references",
  "resources",
  "scripts",
  "templates",
]);

/** Whether a folder of this name is searched as within its repository, if it is searched alone. */
export function isSearchStart(name: string): boolean {
  return name === "skills" || name === "plugins" || (toolFolders as readonly string[]).includes(name);
}

/** Whether a folder, by the names of its path in the repository, may be a skill or hold some. */
export function isSearched(names: readonly string[]): boolean {
  const start = names.findIndex((name) => name === "skills" || name === "plugins");
  const depth = start === -1 ? names.length : names.length - 1 - start;
  if (depth > (start === -1 ? categoryDepth : searchedDepth)) return false;
  const skills = names.indexOf("skills");
  // Below `skills/`, folders have any name.
  const around = skills === -1 ? names : names.slice(0, skills);
  if (around.some((name) => otherFolders.has(name))) return false;
  return names.every((name, at) => !name.startsWith(".") || isToolFolder(name, names[at + 1]));
}

/** Nothing but the `skills/` of a tool's folder is looked at. */
function isToolFolder(name: string, next: string | undefined): boolean {
  return (toolFolders as readonly string[]).includes(name) && (next === undefined || next === "skills");
}

/**
 * Whether a folder below one with a SKILL.md is a skill of its own, and not a part of that skill. In a repository
 * (`isRepository`), folders of the root and of categories are skills, too.
 */
export function isOwnSkill(names: readonly string[], isRepository: boolean): boolean {
  if (names.slice(0, -1).includes("skills") || names[0] === "plugins") return true;
  return isRepository && !partsOfSkill.has(names[0]!);
}

/** Number of skills in each folder that holds some, by their paths; the folder is empty for the root. */
export function countByFolder(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const skill = path.replace(/\/RULE\.md$/i, "");
    const folder = skill.slice(0, skill.lastIndexOf("/") + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}
