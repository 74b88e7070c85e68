/** Plans for generated directories, without a repository: skills and the trees of their versions are plain words. */
import { planImport } from "../../../src/sync/content/import/plan-import.ts";
import type {
  MergeBase,
  ImportAction,
  PlatformSkill,
  RemoteDirectory,
} from "../../../src/sync/content/plan-types.ts";

export interface PlanInput {
  directories: RemoteDirectory[];
  bases?: MergeBase[];
  skills?: PlatformSkill[];
  /**
   * By skill: the trees of its versions, the current one last; `imported x as y` for one that is exported as y. A skill
   * without any is unreadable.
   */
  versions?: Record<string, string[]>;
}

const treeOf = (version: string) => version.replace(/^imported (?:.* as )?/, "");

export async function plan({ directories, bases = [], skills = [], versions = {} }: PlanInput) {
  const asked: string[] = [];
  const actions = await planImport(directories, bases, skills, {
    now: () => new Date(),
    exported: async (id) => {
      asked.push(id);
      return { contentTree: treeOf(versions[id]!.at(-1)!) };
    },
    contentTreesOf: async (id) => new Set(versions[id]!.map((one) => treeOf(one))),
    holdsVersion: async (id, { contentTree }) =>
      versions[id]!.some((one) => one.startsWith(`imported ${contentTree} as `)),
    resemblesOther: async (id, { contentTree }) =>
      Object.keys(versions).some((other) => other !== id && contentTree.startsWith(versions[other]!.at(-1)!)),
    refusal: (error) =>
      error instanceof TypeError ? { code: "unreadable", message: error.message } : undefined,
    since: async (id, version) =>
      versions[id]!.map((contentTree, index) => ({
        version: index + 1,
        contentTree: treeOf(contentTree),
        isImported: contentTree.startsWith("imported "),
      }))
        .filter((row) => row.version > version)
        .toReversed(),
  });
  return { actions, asked };
}

export const dir = (path: string, contentTree: string, svcId?: string): RemoteDirectory => ({
  path,
  contentTree,
  svcId,
});
export const base = (skillId: string, path: string, contentTree: string, strayPath?: string): MergeBase => ({
  skillId,
  path,
  contentTree,
  strayPath,
});
export const a = { id: "A", path: "skills/a" };
export const b = { id: "B", path: "skills/b" };

/** Actions in a line each: what is done with which directory, and its skill. */
export const summarize = (actions: readonly ImportAction[]) =>
  actions.map((action) => {
    const what = action.kind === "refuse" ? action.code : action.kind;
    const path = "strayPath" in action && action.strayPath ? action.strayPath : action.path;
    const skillId = action.kind === "create" ? action.after : action.skillId;
    return [what, path, ...(skillId === undefined ? [] : [skillId])].join(" ");
  });
