/** The definition of an install target. A new tool is one file with such a definition, listed in `targets/index.ts`. */
import type { PlatformPath } from "node:path";
import type {
  ContentFormat,
  InstallMethod,
  InstallScope,
  SkillType,
  Target,
} from "../../contract/vocabulary.ts";

/** The item to install. `name` is the display name, `installName` the name in the tools. */
export interface InstallItem {
  installName: string;
  name: string;
  description: string;
  type: SkillType;
  format: ContentFormat;
  /** A text skill without frontmatter; empty for packages. */
  body: string;
  /** The part before the body in a text skill's SKILL.md, with the install name. */
  head?: string;
  /** The name in a package's SKILL.md, if it is a valid folder name. */
  packageName?: string;
  /** The SKILL.md of a package that has no other file, without frontmatter. */
  onlyText?: string;
  /** Fields that a package's SKILL.md has not, and that most tools require. */
  missing?: readonly ("name" | "description")[];
}

/** The machine as seen by targets. They join paths with `paths` only, so that tests cover the paths of every system. */
export interface Machine {
  /** `%USERPROFILE%` on Windows. */
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  paths: PlatformPath;
}

/** The destination: the user's own configuration, or a project's. */
export interface InstallLocation extends Machine {
  scope: InstallScope;
  /** Absolute; present if the scope is `project`. */
  projectDir?: string;
}

interface Rendered {
  /** Name in the target's cache folder, and in a `folder` placement's own folder. */
  file: string;
  text: string;
}

/** A folder, a file, or a section of a shared file. */
export type Placement =
  | { shape: "folder"; path: string; content: "package" | Rendered; methods: readonly InstallMethod[] }
  | {
      shape: "file";
      path: string;
      content: Rendered;
      methods: readonly InstallMethod[];
      /** A step that the user has to take once, so that the tool reads the file. */
      hint?: Hint;
    }
  | {
      shape: "section";
      path: string;
      /** The lines between the markers. */
      block: string;
      methods: readonly ["section"];
      /** Maximum size of the file; beyond it nothing is written. `refusal` is part of the interface. */
      limit?: { characters: number; refusal: string };
      /** Size up to which the tool reads the file; beyond it, the command warns. */
      advised?: { size: number; unit: "bytes" | "characters"; consequence: string };
      /** A file next to it that the tool reads instead. */
      hiddenBy?: string;
    };

export interface Hint {
  text: string;
  /** Not needed if one of these files has such a line. */
  unless: { files: readonly string[]; says: RegExp };
}

/** The reason why a tool can't take the item; the text is part of the interface. */
export interface Refusal {
  refused: string;
}

/** Signs that a tool is installed; one of them is enough. */
export interface Signs {
  /** Folders or files, absolute. */
  paths: readonly string[];
  /** Programs on PATH, without extension. */
  programs: readonly string[];
  /** Editor extensions: folders with such a prefix in one of the folders. */
  extensions?: { prefix: string; folders: readonly string[] };
}

/** Folders in which a tool keeps skills that users write, for `publish` without a path. */
export interface Sources {
  /** Folders of skill folders. */
  skillFolders: readonly string[];
  /** Names in them that the tool reserves. */
  reserved?: readonly string[];
  files: readonly SourceFiles[];
}

export interface SourceFiles {
  folder: string;
  /** File extensions with their dots, longest first. */
  endings: readonly string[];
  /** Also in subfolders. */
  deep: boolean;
  type: SkillType;
}

export interface TargetDefinition {
  name: Target;
  /** Display name of the tool. */
  label: string;
  signs: (machine: Machine) => Signs;
  /** Paths in a project that belong to the tool: they preselect it there. */
  projectSigns: readonly string[];
  /** Pure: the same item and location result in the same placement. `methods[0]` is the default. */
  placementOf: (item: InstallItem, location: InstallLocation) => Placement | Refusal;
  sources: (location: InstallLocation) => Sources;
  /** It reads `.agents/skills` of a project, and `~/.agents/skills`. */
  readsShared?: true;
  /** Further locations, used on request (`--also`), by name. */
  also?: Readonly<Record<string, AlsoLocation>>;
}

export interface AlsoLocation {
  placementOf: TargetDefinition["placementOf"];
  /** Where this folder exists, installs for the user have the location without a request. */
  impliedBy?: (machine: Machine) => string;
}

/** The folder that a tool's paths start from: the project, or the user's own. */
export function baseFolder(location: InstallLocation, globalFolder: string): string {
  return location.scope === "project" ? location.projectDir! : globalFolder;
}

/** A folder that a variable replaces. A relative value is ignored: it would be another folder in each project. */
export function movedFolder(machine: Machine, variable: string, defaultFolder: string): string {
  const value = machine.env[variable];
  return value !== undefined && machine.paths.isAbsolute(value)
    ? machine.paths.resolve(value)
    : defaultFolder;
}

/** `$XDG_CONFIG_HOME`, by default `~/.config`, also on Windows for the tools that use it. */
export function configHome(machine: Machine): string {
  return movedFolder(machine, "XDG_CONFIG_HOME", machine.paths.join(machine.home, ".config"));
}

/** The user's folder of Devin Desktop, the successor of Windsurf. */
export function devinFolder(machine: Machine): string {
  const { env, platform, paths } = machine;
  const roaming = platform === "win32" ? env["APPDATA"] : undefined;
  return paths.join(roaming ?? configHome(machine), "devin");
}

/** The user folders of VS Code. */
export function editorFolders(machine: Machine): string[] {
  const { home, env, platform, paths } = machine;
  const root =
    platform === "darwin"
      ? paths.join(home, "Library", "Application Support")
      : platform === "win32"
        ? env["APPDATA"]
        : configHome(machine);
  if (root === undefined) return [];
  return ["Code", "Code - Insiders"].map((name) => paths.join(root, name, "User"));
}
