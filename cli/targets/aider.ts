import { scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { fileIn, linked } from "./placements.ts";
import { renderTitled } from "./render.ts";
import type { TargetDefinition } from "./target.ts";

const settings = ".aider.conf.yml";

/** Aider: files in a project, which it reads if its settings name their folder. A package of one file is a text. */
export const aider: TargetDefinition = {
  name: "aider",
  label: "Aider",
  signs: ({ home, paths }) => ({
    paths: [".aider", settings].map((name) => paths.join(home, name)),
    programs: ["aider"],
  }),
  projectSigns: [settings, ".aider"],
  placementOf(item, location) {
    const body = item.format === "package" ? item.onlyText : item.body;
    if (body === undefined) return { refused: "aider does not support package skills" };
    if (location.scope === "global") return { refused: "aider has no global skill directory; use --project" };
    const { join } = location.paths;
    const folder = join(location.projectDir!, ".aider", "skills");
    const text = renderTitled(withScopeInText({ ...item, body }, scopeOf(item)));
    return {
      ...fileIn(location, folder, `${item.installName}.md`, text, linked),
      hint: {
        text:
          `Add "read: .aider/skills" to ${settings}, ` +
          `or start aider with --read .aider/skills/${item.installName}.md`,
        unless: {
          files: [location.projectDir!, location.home].map((root) => join(root, settings)),
          says: /^[^#\n]*\.aider[\\/]skills(?![\w-])/m,
        },
      },
    };
  },
  sources(location) {
    if (location.scope === "global") return { skillFolders: [], files: [] };
    const folder = location.paths.join(location.projectDir!, ".aider", "skills");
    return { skillFolders: [], files: [{ folder, endings: [".md"], deep: false, type: "skill" }] };
  },
};
