import { join } from "node:path";
import { detectAny } from "./detect.ts";
import { describe, renderSkillFile, renderText, yamlText } from "./render.ts";
import {
  type InstallItem,
  type InstallPlace,
  type Placement,
  type Refusal,
  type TargetDefinition,
  baseFolder,
} from "./target.ts";

/** Cursor: `.mdc` rules in a project, skill folders for the user; it does not see linked folders. */
export const cursor: TargetDefinition = {
  name: "cursor",
  label: "Cursor",
  detect: (machine) =>
    detectAny(machine, {
      folders: [
        join(machine.home, ".cursor"),
        ...(machine.platform === "darwin" ? ["/Applications/Cursor.app"] : []),
      ],
      programs: ["cursor", "cursor-agent"],
    }),
  place(item: InstallItem, place: InstallPlace): Placement | Refusal {
    const root = join(baseFolder(place, place.home), ".cursor");
    if (item.format === "package")
      return {
        shape: "folder",
        path: join(root, "skills", item.packageName ?? item.installName),
        content: "package",
        methods: ["copy"],
      };
    if (place.scope === "project") {
      const file = `${item.installName}.mdc`;
      return {
        shape: "file",
        path: join(root, "rules", file),
        content: { file, text: renderText(ruleHead(item), item.body) },
        methods: ["symlink", "copy"],
      };
    }
    if (item.type === "rule")
      return { refused: "cursor keeps user rules in its own settings; there is no global rules file" };
    return {
      shape: "folder",
      path: join(root, "skills", item.installName),
      content: { file: "SKILL.md", text: renderSkillFile(item) },
      methods: ["copy"],
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
