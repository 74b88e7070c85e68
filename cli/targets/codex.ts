import { join } from "node:path";
import { detectAny } from "./detect.ts";
import { renderBlock } from "./render.ts";
import {
  type InstallItem,
  type InstallPlace,
  type Placement,
  type TargetDefinition,
  baseFolder,
} from "./target.ts";

/** `project_doc_max_bytes`: over all levels together, what does not fit is dropped. */
const documentBytes = 32_768;

/** Codex CLI: sections in AGENTS.md for texts, skill folders under `.agents` for packages. */
export const codex: TargetDefinition = {
  name: "codex",
  label: "Codex",
  detect: (machine) =>
    detectAny(machine, { folders: [configFolder(machine), "/etc/codex"], programs: ["codex"] }),
  place(item: InstallItem, place: InstallPlace): Placement {
    if (item.format === "package")
      return {
        shape: "folder",
        path: join(baseFolder(place, place.home), ".agents", "skills", item.packageName ?? item.installName),
        content: "package",
        methods: ["copy", "symlink"],
      };
    const folder = baseFolder(place, configFolder(place));
    const path = join(folder, "AGENTS.md");
    const override = join(folder, "AGENTS.override.md");
    return {
      shape: "section",
      path,
      block: renderBlock(item),
      methods: ["section"],
      advisedBytes: {
        bytes: documentBytes,
        warning: `${path} is over ${documentBytes} bytes: codex drops what does not fit`,
      },
      hiddenBy: {
        path: override,
        warning: `codex reads ${override} instead of AGENTS.md: the section will not be seen`,
      },
    };
  },
};

function configFolder(place: { home: string; env: NodeJS.ProcessEnv }): string {
  const moved = place.env["CODEX_HOME"];
  return moved === undefined || moved === "" ? join(place.home, ".codex") : moved;
}
