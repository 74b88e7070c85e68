/** The one shape of every install target. A new tool is one file of it, named in `targets/index.ts`. */
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

/** Where: the user's own configuration, or a project's. */
export interface InstallPlace {
  scope: InstallScope;
  home: string;
  /** Absolute; present when the scope is `project`. */
  projectDir?: string;
  env: NodeJS.ProcessEnv;
}

interface Rendered {
  /** Name in the target's cache folder, and in a `folder` placement's own folder. */
  file: string;
  text: string;
}

/** A folder of its own, a file of its own, or a block in a file that others write too. */
export type Placement =
  | { shape: "folder"; path: string; content: "package" | Rendered; methods: readonly InstallMethod[] }
  | { shape: "file"; path: string; content: Rendered; methods: readonly InstallMethod[] }
  | {
      shape: "section";
      path: string;
      /** The lines between the markers. */
      block: string;
      methods: readonly ["section"];
      /** The tool reads only so much of the file: said, not refused. */
      advisedBytes?: { bytes: number; warning: string };
      /** A file that hides the section from the tool. */
      hiddenBy?: { path: string; warning: string };
    };

/** Why a tool cannot take it; the text is part of the interface. */
export interface Refusal {
  refused: string;
}

export interface Machine {
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export interface TargetDefinition {
  name: Target;
  /** What people call the tool. */
  label: string;
  /** Whether the tool seems to be installed on this machine. */
  detect: (machine: Machine) => Promise<boolean>;
  /** Pure: the same item and place give the same placement. `methods[0]` is the default. */
  place: (item: InstallItem, place: InstallPlace) => Placement | Refusal;
}

/** The folder that a tool's paths start from: the project, or the user's own. */
export function baseFolder(place: InstallPlace, globalFolder: string): string {
  return place.scope === "project" ? place.projectDir! : globalFolder;
}
