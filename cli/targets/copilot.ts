import { copied, packageIn, sectionOf } from "./placements.ts";
import { type TargetDefinition, editorFolders } from "./target.ts";

/** The part of the file that GitHub's code review reads, as documented. */
const reviewCharacters = 4000;

/** GitHub Copilot: a section of the repository's instructions; skill folders, which it reads only without links. */
export const copilot: TargetDefinition = {
  name: "copilot",
  label: "GitHub Copilot",
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
      return { refused: "copilot has no user-level instructions file for this install; use --project" };
    return {
      ...sectionOf(join(location.projectDir!, ".github", "copilot-instructions.md"), item),
      advised: {
        size: reviewCharacters,
        unit: "characters",
        consequence: "copilot's code review may not read the rest",
      },
    };
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
