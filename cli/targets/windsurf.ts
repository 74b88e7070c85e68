import { yamlText } from "../../contract/document/yaml-text.ts";
import { describe, renderText } from "../../contract/rule-files.ts";
import { type RuleScope, scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { copied, fileIn, linked, packageIn, sectionOf } from "./placements.ts";
import { characterCount } from "./render.ts";
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
        ...sectionOf(
          join(root, "memories", "global_rules.md"),
          withScopeInText(item, scopeOf(item, "globs")),
        ),
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
        const scoped = withScopeInText(item, scopeOf(item, "globs"));
        return sectionOf(location.paths.join(devinFolder(location), "AGENTS.md"), scoped);
      },
    },
  },
  sources(location) {
    const { join } = location.paths;
    if (location.scope === "global")
      return { skillFolders: [join(location.home, ".codeium", "windsurf", "skills")], files: [] };
    // The tool reads the folders of its previous and its current name.
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

const triggers = {
  always: "always_on",
  files: "glob",
  relevant: "model_decision",
  asked: "manual",
} as const;

/** A skill applies if the model finds its description relevant; a rule as its keys say, by default always. */
function ruleHead(item: InstallItem): string[] {
  const { mode, patterns }: RuleScope = scopeOf(item, "globs") ?? {
    mode: "relevant",
    patterns: [],
  };
  return [
    `trigger: ${triggers[mode]}`,
    `description: ${yamlText(describe(item))}`,
    // A list, since a text breaks one of its readers.
    ...(patterns.length === 0 ? [] : [`globs: [${patterns.map(yamlText).join(", ")}]`]),
  ];
}
