import { copied, packageIn, sectionOf } from "./placements.ts";
import { type Machine, type TargetDefinition, configHome } from "./target.ts";

/** GitHub's code review was documented to read no more of the file. */
const reviewCharacters = 4000;

/** GitHub Copilot: a section of the repository's instructions; skill folders, which it does not follow links to. */
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
  place(item, place) {
    const { join } = place.paths;
    if (item.format === "package") {
      const root =
        place.scope === "project" ? join(place.projectDir!, ".github") : join(place.home, ".copilot");
      return packageIn(place, join(root, "skills"), item, copied);
    }
    if (place.scope === "global")
      return { refused: "copilot has no user-level instructions file for this install; use --project" };
    return {
      ...sectionOf(join(place.projectDir!, ".github", "copilot-instructions.md"), item),
      advised: {
        size: reviewCharacters,
        unit: "characters",
        consequence: "copilot's code review may not read the rest",
      },
    };
  },
  sources(place) {
    const { join } = place.paths;
    if (place.scope === "global")
      return { skillFolders: [join(place.home, ".copilot", "skills")], files: [] };
    const root = join(place.projectDir!, ".github");
    return {
      skillFolders: [join(root, "skills")],
      files: [
        { folder: join(root, "instructions"), endings: [".instructions.md"], deep: true, type: "rule" },
      ],
    };
  },
};

/** The user folders of VS Code. */
function editorFolders(machine: Machine): string[] {
  const { home, env, platform, paths } = machine;
  const root =
    platform === "darwin"
      ? paths.join(home, "Library", "Application Support")
      : platform === "win32"
        ? env["APPDATA"]
        : configHome(machine);
  if (root === undefined) return [];
  return ["Code", "Code - Insiders"].map((name) => paths.join(root, name, "User"));
}
