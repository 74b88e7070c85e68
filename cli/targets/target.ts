/** The one shape of every install target. A new tool is one file of it, named in `targets/index.ts`. */
import type { PlatformPath } from "node:path";
import type {
  ContentFormat,
  InstallMethod,
  InstallScope,
  SkillType,
  Target,
} from "../../contract/vocabulary.ts";

/** What is to be installed. `name` is the display name, `installName` the name in the tools. */
export interface InstallItem {
  installName: string;
  name: string;
  description: string;
  type: SkillType;
  format: ContentFormat;
  /** A text skill without frontmatter; empty for packages. */
  body: string;
  /** What a package's SKILL.md calls itself, if it may serve as a folder name. */
  packageName?: string;
}

/** The machine as targets see it. They join paths by `paths` alone, so that those of any system can be tried on any. */
export interface Machine {
  /** `%USERPROFILE%` on Windows. */
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  paths: PlatformPath;
}

/** Where: the user's own configuration, or a project's. */
export interface InstallPlace extends Machine {
  scope: InstallScope;
  /** Absolute; present when the scope is `project`. */
  projectDir?: string;
}

interface Rendered {
  /** Name in the target's cache folder, and in a `folder` placement's own folder. */
  file: string;
  text: string;
}

/** A folder of its own, a file of its own, or a block in a file that others write too. */
export type Placement =
  | { shape: "folder"; path: string; content: "package" | Rendered; methods: readonly InstallMethod[] }
  | {
      shape: "file";
      path: string;
      content: Rendered;
      methods: readonly InstallMethod[];
      /** What a person has to do once so that the tool reads the file. */
      hint?: Hint;
    }
  | {
      shape: "section";
      path: string;
      /** The lines between the markers. */
      block: string;
      methods: readonly ["section"];
      /** The tool takes no larger file: nothing is written. `refusal` is part of the interface. */
      limit?: { characters: number; refusal: string };
      /** The tool reads only so much of the file: said, not refused. */
      advised?: { size: number; unit: "bytes" | "characters"; consequence: string };
      /** A file beside it that the tool reads instead. */
      hiddenBy?: string;
    };

export interface Hint {
  text: string;
  /** Not needed when one of these files says so on a line. */
  unless: { files: readonly string[]; says: RegExp };
}

/** Why a tool cannot take it; the text is part of the interface. */
export interface Refusal {
  refused: string;
}

/** What tells that a tool is installed: any one of it. */
export interface Signs {
  /** Folders or files, absolute. */
  paths: readonly string[];
  /** Programs on PATH, without an ending. */
  programs: readonly string[];
  /** Editor extensions: folders whose names begin so, in one of the folders. */
  extensions?: { prefix: string; folders: readonly string[] };
}

/** Where a tool keeps what people write themselves, for `publish` without a path. */
export interface Sources {
  /** Folders of skill folders. */
  skillFolders: readonly string[];
  /** Names in them that are the tool's own. */
  reserved?: readonly string[];
  files: readonly SourceFiles[];
}

export interface SourceFiles {
  folder: string;
  /** Of the names, with their dots; the longest first. */
  endings: readonly string[];
  /** In the folders below, too. */
  deep: boolean;
  type: SkillType;
}

export interface TargetDefinition {
  name: Target;
  /** What people call the tool. */
  label: string;
  signs: (machine: Machine) => Signs;
  /** Paths in a project that hint at the tool: they preselect it and do not make it installed. */
  projectSigns: readonly string[];
  /** Pure: the same item and place give the same placement. `methods[0]` is the default. */
  place: (item: InstallItem, place: InstallPlace) => Placement | Refusal;
  sources: (place: InstallPlace) => Sources;
}

/** The folder that a tool's paths start from: the project, or the user's own. */
export function baseFolder(place: InstallPlace, globalFolder: string): string {
  return place.scope === "project" ? place.projectDir! : globalFolder;
}

/** A folder that a variable moves. A relative value would mean another folder in each project: it is ignored. */
export function movedFolder(machine: Machine, variable: string, usual: string): string {
  const value = machine.env[variable];
  return value !== undefined && machine.paths.isAbsolute(value) ? machine.paths.resolve(value) : usual;
}

/** `$XDG_CONFIG_HOME`, by default `~/.config`; on Windows too, for the tools that use it. */
export function configHome(machine: Machine): string {
  return movedFolder(machine, "XDG_CONFIG_HOME", machine.paths.join(machine.home, ".config"));
}
