import { copied, fileIn, linked, packageIn, sectionOf } from "./placements.ts";
import { characterCount, describe, renderText, yamlText } from "./render.ts";
import { appliesAlways, patternsOf, ruleKeysOf, triggerOf } from "./rule-keys.ts";
import { type InstallItem, type TargetDefinition, configHome, devinFolder } from "./target.ts";

/** Maximum number of characters of a rule file, and of the file of global rules. */
const ruleCharacters = 12_000;
const globalCharacters = 6000;

/** Windsurf, now Devin Desktop: rule files in a project, one shared file of rules for the user. */
export const windsurf: TargetDefinition = {
  name: "windsurf",
  label: "Windsurf",
  readsShared: true,
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
  placementOf(item, location) {
    const { join } = location.paths;
    const root =
      location.scope === "project"
        ? join(location.projectDir!, ".windsurf")
        : join(location.home, ".codeium", "windsurf");
    if (item.format === "package") return packageIn(location, join(root, "skills"), item, copied);
    if (location.scope === "global")
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
    return fileIn(location, join(root, "rules"), `${item.installName}.md`, text, linked);
  },
  also: {
    devin: {
      impliedBy: devinFolder,
      placementOf(item, location) {
        if (item.format === "package") return { refused: "devin reads the packages of windsurf" };
        if (location.scope === "project")
          return { refused: "devin reads the rules of windsurf in a project; use --global" };
        return sectionOf(location.paths.join(devinFolder(location), "AGENTS.md"), item);
      },
    },
  },
  sources(location) {
    const { join } = location.paths;
    if (location.scope === "global")
      return { skillFolders: [join(location.home, ".codeium", "windsurf", "skills")], files: [] };
    // The tool reads the folders of its former and its present name.
    const roots = [".windsurf", ".devin"].map((name) => join(location.projectDir!, name));
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

/** A skill applies if the model finds its description relevant; a rule as its keys say, by default always. */
function ruleHead(item: InstallItem): string[] {
  const keys = ruleKeysOf(item);
  const globs = patternsOf(keys, "globs");
  const byDefault = globs.length > 0 && appliesAlways(keys) !== true ? "glob" : "always_on";
  const trigger = item.type === "rule" ? (triggerOf(keys) ?? byDefault) : "model_decision";
  return [
    `trigger: ${trigger}`,
    `description: ${yamlText(describe(item))}`,
    // A list, since a text breaks one of its readers.
    ...(globs.length === 0 ? [] : [`globs: [${globs.map(yamlText).join(", ")}]`]),
  ];
}
