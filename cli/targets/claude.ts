import { yamlText } from "../../contract/document/yaml-text.ts";
import { renderText } from "../../contract/rule-files.ts";
import { scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { fileIn, linked, packageIn, skillFolderIn } from "./placements.ts";
import {
  type InstallItem,
  type InstallLocation,
  type Machine,
  type TargetDefinition,
  movedFolder,
} from "./target.ts";

/** Folder names that Claude Code reserves. */
const reserved = ["synced"];

/** Claude Code: skill folders, followed through directory links; rules in a folder of their own. */
export const claude: TargetDefinition = {
  name: "claude",
  label: "Claude Code",
  signs: (machine) => ({
    // Its own installer uses a folder that may not be on PATH.
    paths: [configFolder(machine), machine.paths.join(machine.home, ".local", "bin", "claude")],
    programs: ["claude"],
  }),
  projectSigns: [".claude", "CLAUDE.md"],
  placementOf(item, location) {
    const { join } = location.paths;
    const root = rootFolder(location);
    if (item.format === "package") return packageIn(location, join(root, "skills"), unreserved(item), linked);
    if (item.type === "skill") {
      const folder = skillFolderIn(location, join(root, "skills"), item, linked);
      return { ...folder, path: join(root, "skills", unreserved(item).installName) };
    }
    // Without `paths`, a rule is always loaded. The tool may not load a user's own rules that have them.
    const scope = scopeOf(item, "paths")!;
    const isLimited = location.scope === "project" && scope.mode === "files";
    const head = isLimited ? [`paths: [${scope.patterns.map(yamlText).join(", ")}]`] : [];
    const { body } = withScopeInText(item, scope, isLimited ? ["files"] : []);
    return fileIn(location, join(root, "rules"), `${item.installName}.md`, renderText(head, body), linked);
  },
  sources(location) {
    const root = rootFolder(location);
    return {
      skillFolders: [location.paths.join(root, "skills")],
      reserved,
      files: [{ folder: location.paths.join(root, "rules"), endings: [".md"], deep: true, type: "rule" }],
    };
  },
};

function configFolder(machine: Machine): string {
  return movedFolder(machine, "CLAUDE_CONFIG_DIR", machine.paths.join(machine.home, ".claude"));
}

function rootFolder(location: InstallLocation): string {
  return location.scope === "project"
    ? location.paths.join(location.projectDir!, ".claude")
    : configFolder(location);
}

/** The item with a name that the tool does not reserve. */
function unreserved(item: InstallItem): InstallItem {
  const free = (name: string) => (reserved.includes(name) ? `${name}-skill` : name);
  return {
    ...item,
    installName: free(item.installName),
    ...(item.packageName === undefined ? {} : { packageName: free(item.packageName) }),
  };
}
