/** A dropped folder that has several skills, each in a folder of its own. Pure. */
import type { SkillType } from "../../../../../contract/vocabulary.ts";
import type { WorkFile } from "../working-set.ts";

export interface DroppedSkill {
  /** Path of its folder in the dropped one. */
  path: string;
  type: SkillType;
  /** With paths relative to its folder. */
  files: WorkFile[];
}

export interface DroppedSkills {
  skills: DroppedSkill[];
  /** Paths of files that belong to no skill. */
  others: string[];
}

/** The skills below a folder that is none itself; undefined for files of one skill. */
export function skillsIn(files: readonly WorkFile[]): DroppedSkills | undefined {
  const folders = new Set(files.flatMap(({ path }) => folderOfRootFile(path) ?? []));
  if (folders.size === 0 || folders.has("")) return undefined;
  const groups = new Map<string, WorkFile[]>();
  const others: string[] = [];
  for (const file of files) {
    const folder = outermost(file.path, folders);
    if (folder === undefined) {
      others.push(file.path);
      continue;
    }
    const group = groups.get(folder) ?? [];
    group.push({ ...file, path: file.path.slice(folder.length + 1) });
    groups.set(folder, group);
  }
  const skills = [...groups].map(([path, own]): DroppedSkill => {
    const isSkill = own.some((file) => file.path === "SKILL.md");
    return { path, type: isSkill ? "skill" : "rule", files: own };
  });
  return { skills: skills.toSorted((a, b) => a.path.localeCompare(b.path)), others };
}

/** Folder of a SKILL.md or RULE.md; "" for the dropped folder itself. */
function folderOfRootFile(path: string): string | undefined {
  return (
    /^(?:(.*)\/)?(?:SKILL|RULE)\.md$/.exec(path)?.[1] ?? (/^(?:SKILL|RULE)\.md$/.test(path) ? "" : undefined)
  );
}

/** The outermost of the folders that a path is in: a skill may contain others, as examples. */
function outermost(path: string, folders: ReadonlySet<string>): string | undefined {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const folder = path.slice(0, at);
    if (folders.has(folder)) return folder;
  }
  return undefined;
}

/** Folders that the skills are in, without those that all of them share. */
export function foldersOf(skills: readonly DroppedSkill[]): Map<string, string> {
  const outer = skills.map(({ path }) => path.split("/").slice(0, -1));
  let shared = 0;
  while (outer.every((names) => names.length > shared && names[shared] === outer[0]![shared])) shared++;
  return new Map(skills.map(({ path }, at) => [path, outer[at]!.slice(shared).join("/")]));
}
