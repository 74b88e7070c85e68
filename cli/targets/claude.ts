import { join } from "node:path";
import { detectAny } from "./detect.ts";
import { renderSkillFile, renderText } from "./render.ts";
import type { InstallItem, InstallPlace, Placement, TargetDefinition } from "./target.ts";

/** Folder names that Claude Code keeps for itself. */
const reserved = new Set(["synced"]);

/** Claude Code: skill folders, followed through directory links; rules in a folder of their own. */
export const claude: TargetDefinition = {
  name: "claude",
  label: "Claude Code",
  detect: (machine) => detectAny(machine, { folders: [configFolder(machine)], programs: ["claude"] }),
  place(item: InstallItem, place: InstallPlace): Placement {
    const root = place.scope === "project" ? join(place.projectDir!, ".claude") : configFolder(place);
    if (item.format === "package")
      return {
        shape: "folder",
        path: join(root, "skills", folderName(item.packageName ?? item.installName)),
        content: "package",
        methods: ["symlink", "copy"],
      };
    if (item.type === "rule") {
      const file = `${item.installName}.md`;
      // Without `paths` a rule is always loaded, so it needs no frontmatter at all.
      return {
        shape: "file",
        path: join(root, "rules", file),
        content: { file, text: renderText([], item.body) },
        methods: ["symlink", "copy"],
      };
    }
    return {
      shape: "folder",
      path: join(root, "skills", folderName(item.installName)),
      content: { file: "SKILL.md", text: renderSkillFile(item) },
      methods: ["symlink", "copy"],
    };
  },
};

function configFolder(place: { home: string; env: NodeJS.ProcessEnv }): string {
  const moved = place.env["CLAUDE_CONFIG_DIR"];
  return moved === undefined || moved === "" ? join(place.home, ".claude") : moved;
}

function folderName(name: string): string {
  return reserved.has(name) ? `${name}-skill` : name;
}
