import { yamlText } from "../../contract/yaml-text.ts";
import { copied, fileIn, linked, packageIn, skillFolderIn } from "./placements.ts";
import { describe, renderText } from "./render.ts";
import { scopeOf } from "./rule-scope.ts";
import { type InstallItem, type TargetDefinition, baseFolder } from "./target.ts";

/** Cursor: `.mdc` rules in a project, skill folders for the user; it does not follow links to folders. */
export const cursor: TargetDefinition = {
  name: "cursor",
  label: "Cursor",
  readsShared: true,
  signs: ({ home, paths, platform }) => ({
    paths: [paths.join(home, ".cursor"), ...(platform === "darwin" ? ["/Applications/Cursor.app"] : [])],
    programs: ["cursor", "cursor-agent"],
  }),
  projectSigns: [".cursor", ".cursorrules"],
  placementOf(item, location) {
    const { join } = location.paths;
    const root = join(baseFolder(location, location.home), ".cursor");
    if (item.format === "package") return packageIn(location, join(root, "skills"), item, copied);
    if (location.scope === "project") {
      const text = renderText(ruleHead(item), item.body);
      return fileIn(location, join(root, "rules"), `${item.installName}.mdc`, text, linked);
    }
    if (item.type === "rule")
      return { refused: "cursor keeps user rules in its own settings; there is no global rules file" };
    return skillFolderIn(location, join(root, "skills"), item, copied);
  },
  sources(location) {
    const root = location.paths.join(baseFolder(location, location.home), ".cursor");
    const rules = {
      folder: location.paths.join(root, "rules"),
      endings: [".mdc"],
      deep: true,
      type: "rule",
    } as const;
    return {
      skillFolders: [location.paths.join(root, "skills")],
      files: location.scope === "project" ? [rules] : [],
    };
  },
};

/** A skill applies by its description; a rule as its keys say, by default always or to its patterns. */
function ruleHead(item: InstallItem): string[] {
  const { mode, patterns } = scopeOf(item, "globs") ?? {
    mode: "relevant",
    patterns: [],
  };
  return [
    // The tool applies a rule with a description where that fits, unless it has patterns.
    mode === "asked" ? "description:" : `description: ${yamlText(describe(item))}`,
    ["always", "files"].includes(mode) && patterns.length > 0 ? `globs: ${patterns.join(",")}` : "globs:",
    `alwaysApply: ${mode === "always"}`,
  ];
}
