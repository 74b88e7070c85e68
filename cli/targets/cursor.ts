import { cursorRule } from "../../contract/rule-files.ts";
import { copied, fileIn, linked, packageIn, skillFolderIn } from "./placements.ts";
import { type TargetDefinition, baseFolder } from "./target.ts";

/** Cursor: `.mdc` rules in a project, skill folders for the user; it does not follow links to folders. */
export const cursor: TargetDefinition = {
  name: "cursor",
  label: "Cursor",
  readsShared: true,
  signs: ({ home, paths, platform }) => ({
    paths: [paths.join(home, ".cursor"), ...(platform === "darwin" ? ["/Applications/Cursor.app"] : [])],
    programs: ["cursor", "cursor-agent"],
  }),
  projectSigns: [".cursor", ".cursorrules"],
  placementOf(item, location) {
    const { join } = location.paths;
    const root = join(baseFolder(location, location.home), ".cursor");
    if (item.format === "package") return packageIn(location, join(root, "skills"), item, copied);
    if (location.scope === "project") {
      return fileIn(location, join(root, "rules"), `${item.installName}.mdc`, cursorRule(item), linked);
    }
    if (item.type === "rule")
      return { refused: "cursor keeps user rules in its own settings; there is no global rules file" };
    return skillFolderIn(location, join(root, "skills"), item, copied);
  },
  sources(location) {
    const root = location.paths.join(baseFolder(location, location.home), ".cursor");
    const rules = {
      folder: location.paths.join(root, "rules"),
      endings: [".mdc"],
      deep: true,
      type: "rule",
    } as const;
    return {
      skillFolders: [location.paths.join(root, "skills")],
      files: location.scope === "project" ? [rules] : [],
    };
  },
};
