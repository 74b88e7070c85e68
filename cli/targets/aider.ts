import { fileIn, linked } from "./placements.ts";
import { renderTitled } from "./render.ts";
import type { TargetDefinition } from "./target.ts";

const settings = ".aider.conf.yml";

/** Aider: files in a project that it reads once its settings name their folder. */
export const aider: TargetDefinition = {
  name: "aider",
  label: "Aider",
  signs: ({ home, paths }) => ({
    paths: [".aider", settings].map((name) => paths.join(home, name)),
    programs: ["aider"],
  }),
  projectSigns: [settings, ".aider"],
  place(item, place) {
    if (item.format === "package") return { refused: "aider does not support package skills" };
    if (place.scope === "global") return { refused: "aider has no global skill directory; use --project" };
    const { join } = place.paths;
    const folder = join(place.projectDir!, ".aider", "skills");
    return {
      ...fileIn(place, folder, `${item.installName}.md`, renderTitled(item), linked),
      hint: {
        text: `Add "read: .aider/skills" to ${settings}, or start aider with --read .aider/skills/${item.installName}.md`,
        unless: {
          files: [place.projectDir!, place.home].map((root) => join(root, settings)),
          says: /^[^#\n]*\.aider[\\/]skills(?![\w-])/m,
        },
      },
    };
  },
  sources(place) {
    if (place.scope === "global") return { skillFolders: [], files: [] };
    const folder = place.paths.join(place.projectDir!, ".aider", "skills");
    return { skillFolders: [], files: [{ folder, endings: [".md"], deep: false, type: "skill" }] };
  },
};
