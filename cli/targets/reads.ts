/** The files that each tool loads, of any author. Pure. */
import type { Target } from "../../contract/vocabulary.ts";
import { type InstallLocation, configHome, devinFolder, movedFolder } from "./target.ts";

/** A file, or a folder with everything in it. */
export interface ReadPath {
  path: string;
  /** The tool loads it only if none of these exists. */
  unless?: readonly string[];
}

export function readPaths(target: Target, location: InstallLocation): ReadPath[] {
  return location.scope === "project" ? projectPaths(target, location) : userPaths(target, location);
}

const projectFiles: Readonly<Record<Target, readonly string[]>> = {
  cursor: [
    ".cursor/skills",
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/rules",
    "AGENTS.md",
  ],
  claude: [".claude/skills", ".claude/rules", "AGENTS.md"],
  codex: [".agents/skills", "AGENTS.md"],
  windsurf: [
    ".windsurf/skills",
    ".devin/skills",
    ".agents/skills",
    ".windsurf/rules",
    ".devin/rules",
    "AGENTS.md",
  ],
  cline: [".cline/skills", ".agents/skills", ".claude/skills", ".clinerules", ".cline/rules", "AGENTS.md"],
  copilot: [
    ".github/skills",
    ".claude/skills",
    ".agents/skills",
    ".github/copilot-instructions.md",
    ".github/instructions",
    "AGENTS.md",
  ],
  opencode: [".opencode/skills", ".claude/skills", ".agents/skills", "AGENTS.md"],
  aider: [".aider/skills"],
};

/** Files that a tool loads instead of a project's AGENTS.md. */
const insteadOfAgents: Readonly<Partial<Record<Target, readonly string[]>>> = {
  claude: ["CLAUDE.md", ".claude/CLAUDE.md"],
  codex: ["AGENTS.override.md"],
};

function projectPaths(target: Target, { projectDir, paths }: InstallLocation): ReadPath[] {
  const inProject = (file: string) => paths.join(projectDir!, ...file.split("/"));
  return projectFiles[target].map((file) => ({
    path: inProject(file),
    unless: file === "AGENTS.md" ? (insteadOfAgents[target] ?? []).map(inProject) : [],
  }));
}

function userPaths(target: Target, location: InstallLocation): ReadPath[] {
  const { home, paths } = location;
  const inHome = (...files: string[]) => files.map((file) => paths.join(home, ...file.split("/")));
  const below = (folder: string, ...files: string[]) =>
    files.map((file) => paths.join(folder, ...file.split("/")));
  const codexHome = movedFolder(location, "CODEX_HOME", paths.join(home, ".codex"));
  const devin = devinFolder(location);
  const files: Readonly<Record<Target, (string | ReadPath)[]>> = {
    cursor: inHome(".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"),
    claude: below(movedFolder(location, "CLAUDE_CONFIG_DIR", paths.join(home, ".claude")), "skills", "rules"),
    codex: [
      ...inHome(".agents/skills"),
      ...below(codexHome, "skills"),
      { path: paths.join(codexHome, "AGENTS.md"), unless: below(codexHome, "AGENTS.override.md") },
    ],
    windsurf: [
      ...inHome(".agents/skills", ".devin/rules"),
      ...["windsurf", "windsurf-next", "windsurf-insiders"].map((channel) =>
        paths.join(home, ".codeium", channel, "skills"),
      ),
      ...below(devin, "skills", "AGENTS.md"),
      // Windsurf's successor may not load it.
      { path: paths.join(home, ".codeium", "windsurf", "memories", "global_rules.md"), unless: [devin] },
    ],
    cline: inHome(".cline/skills", ".agents/skills", ".cline/rules", ".agents/AGENTS.md"),
    copilot: [
      ...inHome(".copilot/skills", ".agents/skills"),
      ...below(
        movedFolder(location, "COPILOT_HOME", paths.join(home, ".copilot")),
        "copilot-instructions.md",
        "instructions",
      ),
    ],
    opencode: [
      ...inHome(".claude/skills", ".agents/skills"),
      ...below(paths.join(configHome(location), "opencode"), "skills", "AGENTS.md"),
    ],
    aider: [],
  };
  return files[target].map((file) => (typeof file === "string" ? { path: file } : file));
}
