import { copied, fileIn, linked, packageIn, skillFolderIn } from "./placements.ts";
import { describe, renderText, yamlText } from "./render.ts";
import { type InstallItem, type TargetDefinition, baseFolder } from "./target.ts";

/** Cursor: `.mdc` rules in a project, skill folders for the user; it does not see linked folders. */
export const cursor: TargetDefinition = {
  name: "cursor",
  label: "Cursor",
  signs: ({ home, paths, platform }) => ({
    paths: [paths.join(home, ".cursor"), ...(platform === "darwin" ? ["/Applications/Cursor.app"] : [])],
    programs: ["cursor", "cursor-agent"],
  }),
  projectSigns: [".cursor", ".cursorrules"],
  place(item, place) {
    const { join } = place.paths;
    const root = join(baseFolder(place, place.home), ".cursor");
    if (item.format === "package") return packageIn(place, join(root, "skills"), item, copied);
    if (place.scope === "project") {
      const text = renderText(ruleHead(item), item.body);
      return fileIn(place, join(root, "rules"), `${item.installName}.mdc`, text, linked);
    }
    if (item.type === "rule")
      return { refused: "cursor keeps user rules in its own settings; there is no global rules file" };
    return skillFolderIn(place, join(root, "skills"), item, copied);
  },
  sources(place) {
    const root = place.paths.join(baseFolder(place, place.home), ".cursor");
    const rules = {
      folder: place.paths.join(root, "rules"),
      endings: [".mdc"],
      deep: true,
      type: "rule",
    } as const;
    return {
      skillFolders: [place.paths.join(root, "skills")],
      files: place.scope === "project" ? [rules] : [],
    };
  },
};

/** A skill is picked by its description, a rule always applies. */
function ruleHead(item: InstallItem): string[] {
  return [
    `description: ${yamlText(describe(item))}`,
    "globs:",
    `alwaysApply: ${item.type === "rule" ? "true" : "false"}`,
  ];
}
