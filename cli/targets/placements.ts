/** Placements that several targets share. */
import type { InstallMethod } from "../../contract/vocabulary.ts";
import { renderBlock, renderSkillFile } from "./render.ts";
import type { InstallItem, InstallLocation, Placement } from "./target.ts";

/** A link by default, for tools that are known to follow links. */
export const linked: readonly InstallMethod[] = ["symlink", "copy"];
/** A copy by default, or a link. */
export const linkable: readonly InstallMethod[] = ["copy", "symlink"];
/** A copy only, for tools that don't follow links, or may not. */
export const copied: readonly InstallMethod[] = ["copy"];

/** A package in a folder of skill folders, named after its SKILL.md if possible. */
export function packageIn(
  location: InstallLocation,
  skillFolder: string,
  item: InstallItem,
  methods: readonly InstallMethod[],
): Placement {
  const path = location.paths.join(skillFolder, item.packageName ?? item.installName);
  return { shape: "folder", path, content: "package", methods };
}

/** A text as a skill folder with one SKILL.md. */
export function skillFolderIn(
  location: InstallLocation,
  skillFolder: string,
  item: InstallItem,
  methods: readonly InstallMethod[],
): Placement {
  return {
    shape: "folder",
    path: location.paths.join(skillFolder, item.installName),
    content: { file: "SKILL.md", text: renderSkillFile(item) },
    methods,
  };
}

/** A text as a file of its own. */
export function fileIn(
  location: InstallLocation,
  folder: string,
  file: string,
  text: string,
  methods: readonly InstallMethod[],
): Extract<Placement, { shape: "file" }> {
  return { shape: "file", path: location.paths.join(folder, file), content: { file, text }, methods };
}

/** A text as a section of a shared file. */
export function sectionOf(path: string, item: InstallItem): Extract<Placement, { shape: "section" }> {
  return { shape: "section", path, block: renderBlock(item), methods: ["section"] };
}
