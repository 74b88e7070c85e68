import { copied, fileIn, linked, packageIn, sectionOf } from "./placements.ts";
import { characterCount, describe, renderText, yamlText } from "./render.ts";
import { type InstallItem, type TargetDefinition, configHome } from "./target.ts";

/** Of one rule file, and of the one file of global rules. */
const ruleCharacters = 12_000;
const globalCharacters = 6000;

/** Windsurf, now Devin Desktop: rule files in a project, one shared file of rules for the user. */
export const windsurf: TargetDefinition = {
  name: "windsurf",
  label: "Windsurf",
  signs(machine) {
    const { home, env, platform, paths } = machine;
    const roaming = platform === "win32" ? env["APPDATA"] : undefined;
    return {
      paths: [
        ...["windsurf", "windsurf-next", "windsurf-insiders"].map((name) =>
          paths.join(home, ".codeium", name),
        ),
        paths.join(configHome(machine), "devin"),
        ...(roaming === undefined ? [] : [paths.join(roaming, "devin")]),
      ],
      programs: ["windsurf", "devin"],
    };
  },
  projectSigns: [".windsurf", ".windsurfrules", ".devin"],
  place(item, place) {
    const { join } = place.paths;
    const root =
      place.scope === "project"
        ? join(place.projectDir!, ".windsurf")
        : join(place.home, ".codeium", "windsurf");
    if (item.format === "package") return packageIn(place, join(root, "skills"), item, copied);
    if (place.scope === "global")
      return {
        ...sectionOf(join(root, "memories", "global_rules.md"), item),
        limit: {
          characters: globalCharacters,
          refusal: `windsurf global rules file would exceed ${globalCharacters} characters`,
        },
      };
    const text = renderText(ruleHead(item), item.body);
    if (characterCount(text) > ruleCharacters)
      return { refused: `windsurf rule would exceed ${ruleCharacters} characters` };
    return fileIn(place, join(root, "rules"), `${item.installName}.md`, text, linked);
  },
  sources(place) {
    const { join } = place.paths;
    if (place.scope === "global")
      return { skillFolders: [join(place.home, ".codeium", "windsurf", "skills")], files: [] };
    // The tool reads the folders of both its names.
    const roots = [".windsurf", ".devin"].map((name) => join(place.projectDir!, name));
    return {
      skillFolders: roots.map((root) => join(root, "skills")),
      files: roots.map((root) => ({
        folder: join(root, "rules"),
        endings: [".md"],
        deep: false,
        type: "rule",
      })),
    };
  },
};

/** A rule is always there, a skill when the model finds that its description fits. */
function ruleHead(item: InstallItem): string[] {
  const trigger = item.type === "rule" ? "always_on" : "model_decision";
  return [`trigger: ${trigger}`, `description: ${yamlText(describe(item))}`];
}
