import { yamlText } from "../../contract/document/yaml-text.ts";
import { describe, renderText } from "../../contract/rule-files.ts";
import { scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { copied, fileIn, packageIn, sectionOf } from "./placements.ts";
import {
  type InstallItem,
  type Machine,
  type TargetDefinition,
  editorFolders,
  movedFolder,
} from "./target.ts";

/** The part of the file that GitHub's code review reads, as documented. */
const reviewCharacters = 4000;

/** GitHub Copilot: a section of the repository's instructions; skill folders, which it reads only without links. */
export const copilot: TargetDefinition = {
  name: "copilot",
  label: "GitHub Copilot",
  readsShared: true,
  signs: (machine) => ({
    paths: [machine.paths.join(machine.home, ".copilot"), ...editorFolders(machine)],
    programs: ["code", "code-insiders", "copilot"],
    extensions: {
      prefix: "github.copilot-chat-",
      folders: [machine.paths.join(machine.home, ".vscode", "extensions")],
    },
  }),
  projectSigns: [".github/copilot-instructions.md", ".github/instructions", ".github/skills"],
  placementOf(item, location) {
    const { join } = location.paths;
    if (item.format === "package") {
      const root =
        location.scope === "project"
          ? join(location.projectDir!, ".github")
          : join(location.home, ".copilot");
      return packageIn(location, join(root, "skills"), item, copied);
    }
    if (location.scope === "global")
      return {
        refused:
          "copilot is given texts per project by default; " +
          "use --project, --also copilot-instructions or --also copilot-cli",
      };
    return {
      ...sectionOf(
        join(location.projectDir!, ".github", "copilot-instructions.md"),
        withScopeInText(item, scopeOf(item, "applyTo")),
      ),
      advised: {
        size: reviewCharacters,
        unit: "characters",
        consequence: "copilot's code review may not read the rest",
      },
    };
  },
  also: {
    "copilot-instructions": {
      placementOf(item, location) {
        if (item.format === "package") return { refused: "copilot-instructions takes texts only" };
        const { join } = location.paths;
        const root =
          location.scope === "project" ? join(location.projectDir!, ".github") : ownFolder(location);
        const text = renderText(instructionsHead(item), item.body);
        const file = `${item.installName}.instructions.md`;
        return fileIn(location, join(root, "instructions"), file, text, copied);
      },
    },
    "copilot-cli": {
      placementOf(item, location) {
        if (item.format === "package") return { refused: "copilot-cli takes texts only" };
        if (location.scope === "project")
          return { refused: "copilot-cli is a file of the user; use --global" };
        const scoped = withScopeInText(item, scopeOf(item, "applyTo"));
        return sectionOf(location.paths.join(ownFolder(location), "copilot-instructions.md"), scoped);
      },
    },
  },
  sources(location) {
    const { join } = location.paths;
    if (location.scope === "global")
      return { skillFolders: [join(location.home, ".copilot", "skills")], files: [] };
    const root = join(location.projectDir!, ".github");
    return {
      skillFolders: [join(root, "skills")],
      files: [
        { folder: join(root, "instructions"), endings: [".instructions.md"], deep: true, type: "rule" },
      ],
    };
  },
};

function ownFolder(machine: Machine): string {
  return movedFolder(machine, "COPILOT_HOME", machine.paths.join(machine.home, ".copilot"));
}

/** Without `applyTo`, instructions are used if their description fits the task, or on request without one. */
function instructionsHead(item: InstallItem): string[] {
  const { mode, patterns } = scopeOf(item, "applyTo") ?? { mode: "relevant", patterns: [] };
  const applyTo = mode === "always" ? "**" : mode === "files" ? patterns.join(",") : undefined;
  return [
    ...(mode === "asked" ? [] : [`description: ${yamlText(describe(item))}`]),
    ...(applyTo === undefined ? [] : [`applyTo: ${yamlText(applyTo)}`]),
  ];
}
