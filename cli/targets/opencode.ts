import { linkable, linked, packageIn, sectionOf, skillFolderIn } from "./placements.ts";
import { type InstallPlace, type Machine, type TargetDefinition, configHome } from "./target.ts";

/** OpenCode: skill folders, followed through links; rules as sections of AGENTS.md, since it reads no rule folder. */
export const opencode: TargetDefinition = {
  name: "opencode",
  label: "OpenCode",
  signs: (machine) => ({
    paths: [configFolder(machine), machine.paths.join(machine.home, ".opencode", "bin", "opencode")],
    programs: ["opencode", "opencode2"],
  }),
  projectSigns: [".opencode", "opencode.json", "opencode.jsonc"],
  place(item, place) {
    const { join } = place.paths;
    const skills = join(rootFolder(place), "skills");
    if (item.format === "package") return packageIn(place, skills, item, linkable);
    if (item.type === "skill") return skillFolderIn(place, skills, item, linked);
    const folder = place.scope === "project" ? place.projectDir! : configFolder(place);
    return sectionOf(join(folder, "AGENTS.md"), item);
  },
  sources(place) {
    const root = rootFolder(place);
    const rules = {
      folder: place.paths.join(root, "rules"),
      endings: [".md"],
      deep: false,
      type: "rule",
    } as const;
    return {
      skillFolders: [place.paths.join(root, "skills")],
      files: place.scope === "project" ? [rules] : [],
    };
  },
};

/** The same under the home folder of Windows. */
function configFolder(machine: Machine): string {
  return machine.paths.join(configHome(machine), "opencode");
}

function rootFolder(place: InstallPlace): string {
  return place.scope === "project" ? place.paths.join(place.projectDir!, ".opencode") : configFolder(place);
}
