import { copied, fileIn, linkable, packageIn } from "./placements.ts";
import { renderTitled, yamlText } from "./render.ts";
import { patternsOf, ruleKeysOf } from "./rule-keys.ts";
import { type TargetDefinition, baseFolder } from "./target.ts";

const editors = [".vscode", ".vscode-insiders", ".cursor", ".windsurf"];

/** Cline: rule files in a project, which have to be real files; skill folders, which may be links. */
export const cline: TargetDefinition = {
  name: "cline",
  label: "Cline",
  signs: ({ home, paths }) => ({
    paths: [paths.join(home, ".cline")],
    programs: ["cline"],
    extensions: {
      prefix: "saoudrizwan.claude-dev-",
      folders: editors.map((editor) => paths.join(home, editor, "extensions")),
    },
  }),
  projectSigns: [".clinerules", ".cline"],
  placementOf(item, location) {
    const { join } = location.paths;
    if (item.format === "package")
      return packageIn(
        location,
        join(baseFolder(location, location.home), ".cline", "skills"),
        item,
        linkable,
      );
    if (location.scope === "global") return { refused: "cline text skills are installed per project only" };
    // Without `paths`, a rule always applies.
    const paths = patternsOf(ruleKeysOf(item), "paths");
    const head = paths.length === 0 ? "" : `---\npaths: [${paths.map(yamlText).join(", ")}]\n---\n\n`;
    const folder = join(location.projectDir!, ".clinerules");
    return fileIn(location, folder, `${item.installName}.md`, head + renderTitled(item), copied);
  },
  sources(location) {
    const { join } = location.paths;
    const own = join(baseFolder(location, location.home), ".cline", "skills");
    if (location.scope === "global") return { skillFolders: [own], files: [] };
    const folder = join(location.projectDir!, ".clinerules");
    return {
      skillFolders: [own, join(folder, "skills")],
      files: [{ folder, endings: [".md", ".txt"], deep: false, type: "rule" }],
    };
  },
};
