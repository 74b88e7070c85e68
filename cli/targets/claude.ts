import { fileIn, linked, packageIn, skillFolderIn } from "./placements.ts";
import { renderText } from "./render.ts";
import {
  type InstallItem,
  type InstallPlace,
  type Machine,
  type TargetDefinition,
  movedFolder,
} from "./target.ts";

/** Folder names that Claude Code keeps for itself. */
const reserved = ["synced"];

/** Claude Code: skill folders, followed through directory links; rules in a folder of their own. */
export const claude: TargetDefinition = {
  name: "claude",
  label: "Claude Code",
  signs: (machine) => ({
    // Its own installer puts the program where PATH may not lead.
    paths: [configFolder(machine), machine.paths.join(machine.home, ".local", "bin", "claude")],
    programs: ["claude"],
  }),
  projectSigns: [".claude", "CLAUDE.md"],
  place(item, place) {
    const { join } = place.paths;
    const root = rootFolder(place);
    if (item.format === "package") return packageIn(place, join(root, "skills"), unreserved(item), linked);
    if (item.type === "skill") {
      const folder = skillFolderIn(place, join(root, "skills"), item, linked);
      return { ...folder, path: join(root, "skills", unreserved(item).installName) };
    }
    // Without `paths` a rule is always loaded, so it needs no frontmatter at all.
    return fileIn(place, join(root, "rules"), `${item.installName}.md`, renderText([], item.body), linked);
  },
  sources(place) {
    const root = rootFolder(place);
    return {
      skillFolders: [place.paths.join(root, "skills")],
      reserved,
      files: [{ folder: place.paths.join(root, "rules"), endings: [".md"], deep: true, type: "rule" }],
    };
  },
};

function configFolder(machine: Machine): string {
  return movedFolder(machine, "CLAUDE_CONFIG_DIR", machine.paths.join(machine.home, ".claude"));
}

function rootFolder(place: InstallPlace): string {
  return place.scope === "project" ? place.paths.join(place.projectDir!, ".claude") : configFolder(place);
}

/** The item under names that the tool leaves to others. */
function unreserved(item: InstallItem): InstallItem {
  const free = (name: string) => (reserved.includes(name) ? `${name}-skill` : name);
  return {
    ...item,
    installName: free(item.installName),
    ...(item.packageName === undefined ? {} : { packageName: free(item.packageName) }),
  };
}
