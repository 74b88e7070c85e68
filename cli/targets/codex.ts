import { linkable, packageIn, sectionOf } from "./placements.ts";
import { type Machine, type TargetDefinition, baseFolder, movedFolder } from "./target.ts";

/** `project_doc_max_bytes`: over all levels together, what does not fit is dropped. */
const documentBytes = 32_768;

/** Codex CLI: sections in AGENTS.md for texts, skill folders under `.agents` for packages. */
export const codex: TargetDefinition = {
  name: "codex",
  label: "Codex",
  signs: (machine) => ({
    paths: [configFolder(machine), ...(machine.platform === "win32" ? [] : ["/etc/codex"])],
    programs: ["codex"],
  }),
  projectSigns: [".agents", ".codex", "AGENTS.md"],
  place(item, place) {
    const { join } = place.paths;
    if (item.format === "package")
      return packageIn(place, join(baseFolder(place, place.home), ".agents", "skills"), item, linkable);
    return {
      ...sectionOf(join(baseFolder(place, configFolder(place)), "AGENTS.md"), item),
      advised: { size: documentBytes, unit: "bytes", consequence: "codex drops what does not fit" },
      hiddenBy: "AGENTS.override.md",
    };
  },
  sources(place) {
    const { join } = place.paths;
    const shared = join(baseFolder(place, place.home), ".agents", "skills");
    return {
      // The tool's own folder is out of use and still read.
      skillFolders: place.scope === "project" ? [shared] : [shared, join(configFolder(place), "skills")],
      reserved: [".system"],
      files: [],
    };
  },
};

function configFolder(machine: Machine): string {
  return movedFolder(machine, "CODEX_HOME", machine.paths.join(machine.home, ".codex"));
}
