import { scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { linkable, linked, packageIn, sectionOf, skillFolderIn } from "./placements.ts";
import { type InstallLocation, type Machine, type TargetDefinition, configHome } from "./target.ts";

/** OpenCode: skill folders, followed through links; rules as sections of AGENTS.md, since it reads no rule folder. */
export const opencode: TargetDefinition = {
  name: "opencode",
  label: "OpenCode",
  readsShared: true,
  signs: (machine) => ({
    paths: [configFolder(machine), machine.paths.join(machine.home, ".opencode", "bin", "opencode")],
    programs: ["opencode", "opencode2"],
  }),
  projectSigns: [".opencode", "opencode.json", "opencode.jsonc"],
  placementOf(item, location) {
    const { join } = location.paths;
    const skills = join(rootFolder(location), "skills");
    if (item.format === "package") return packageIn(location, skills, item, linkable);
    if (item.type === "skill") return skillFolderIn(location, skills, item, linked);
    const folder = location.scope === "project" ? location.projectDir! : configFolder(location);
    return sectionOf(join(folder, "AGENTS.md"), withScopeInText(item, scopeOf(item)));
  },
  sources(location) {
    const root = rootFolder(location);
    const rules = {
      folder: location.paths.join(root, "rules"),
      endings: [".md"],
      deep: false,
      type: "rule",
    } as const;
    return {
      skillFolders: [location.paths.join(root, "skills")],
      files: location.scope === "project" ? [rules] : [],
    };
  },
};

/** `opencode` in the user's configuration folder (`~/.config`), also on Windows. */
function configFolder(machine: Machine): string {
  return machine.paths.join(configHome(machine), "opencode");
}

function rootFolder(location: InstallLocation): string {
  return location.scope === "project"
    ? location.paths.join(location.projectDir!, ".opencode")
    : configFolder(location);
}
