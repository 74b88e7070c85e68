import { yamlText } from "../../contract/document/yaml-text.ts";
import { scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { copied, fileIn, linkable, packageIn, skillFolderIn } from "./placements.ts";
import { renderTitled } from "./render.ts";
import { type InstallItem, type TargetDefinition, baseFolder } from "./target.ts";

const editors = [".vscode", ".vscode-insiders", ".cursor", ".windsurf"];

/** Cline: rule files in a project, which have to be real files; skill folders, which may be links. */
export const cline: TargetDefinition = {
  name: "cline",
  label: "Cline",
  readsShared: true,
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
    if (location.scope === "global")
      return {
        refused:
          "cline is given texts per project by default; " +
          "use --project, --also cline-rules or --also cline-skills",
      };
    const folder = join(location.projectDir!, ".clinerules");
    return fileIn(location, folder, `${item.installName}.md`, ruleText(item), copied);
  },
  also: {
    "cline-rules": {
      placementOf(item, location) {
        if (item.format === "package") return { refused: "cline-rules takes texts only" };
        if (location.scope === "project")
          return { refused: "cline-rules is a folder of the user; use --global" };
        const folder = location.paths.join(location.home, ".cline", "rules");
        return fileIn(location, folder, `${item.installName}.md`, ruleText(item), copied);
      },
    },
    "cline-skills": {
      placementOf(item, location) {
        if (item.format === "package") return { refused: "cline gets packages in its skill folder anyway" };
        if (item.type === "rule") return { refused: "cline-skills takes no rules" };
        const folder = location.paths.join(baseFolder(location, location.home), ".cline", "skills");
        return skillFolderIn(location, folder, item, copied);
      },
    },
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

/** Without `paths`, a rule always applies. */
function ruleText(item: InstallItem): string {
  const scope = scopeOf(item, "paths");
  const paths = scope?.mode === "files" ? scope.patterns : [];
  const head = paths.length === 0 ? "" : `---\npaths: [${paths.map(yamlText).join(", ")}]\n---\n\n`;
  return head + renderTitled(withScopeInText(item, scope, ["files"]));
}
