import { scopeOf, withScopeInText } from "../../contract/rule-scope.ts";
import { linkable, packageIn, sectionOf } from "./placements.ts";
import { type Machine, type TargetDefinition, baseFolder, movedFolder } from "./target.ts";

/** `project_doc_max_bytes`: the limit of all levels together, beyond which Codex drops text. */
const documentBytes = 32_768;

/** Codex CLI: sections in AGENTS.md for texts, skill folders under `.agents` for packages. */
export const codex: TargetDefinition = {
  name: "codex",
  label: "Codex",
  readsShared: true,
  signs: (machine) => ({
    paths: [configFolder(machine), ...(machine.platform === "win32" ? [] : ["/etc/codex"])],
    programs: ["codex"],
  }),
  projectSigns: [".agents", ".codex", "AGENTS.md"],
  placementOf(item, location) {
    const { join } = location.paths;
    if (item.format === "package")
      return packageIn(
        location,
        join(baseFolder(location, location.home), ".agents", "skills"),
        item,
        linkable,
      );
    const scoped = withScopeInText(item, scopeOf(item));
    return {
      ...sectionOf(join(baseFolder(location, configFolder(location)), "AGENTS.md"), scoped),
      advised: { size: documentBytes, unit: "bytes", consequence: "codex drops what does not fit" },
      hiddenBy: "AGENTS.override.md",
    };
  },
  sources(location) {
    const { join } = location.paths;
    const shared = join(baseFolder(location, location.home), ".agents", "skills");
    return {
      // The tool's previous folder, which it still reads.
      skillFolders:
        location.scope === "project" ? [shared] : [shared, join(configFolder(location), "skills")],
      reserved: [".system"],
      files: [],
    };
  },
};

function configFolder(machine: Machine): string {
  return movedFolder(machine, "CODEX_HOME", machine.paths.join(machine.home, ".codex"));
}
