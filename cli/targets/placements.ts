/** The forms that most targets share. */
import type { InstallMethod } from "../../contract/vocabulary.ts";
import { renderBlock, renderSkillFile } from "./render.ts";
import type { InstallItem, InstallPlace, Placement } from "./target.ts";

/** Linked unless a copy is asked for: tools that are known to follow links. */
export const linked: readonly InstallMethod[] = ["symlink", "copy"];
/** Copied unless a link is asked for. */
export const linkable: readonly InstallMethod[] = ["copy", "symlink"];
/** Tools that do not see what a link leads to, or may not. */
export const copied: readonly InstallMethod[] = ["copy"];

/** A package in a folder of skill folders, named as its SKILL.md says where that is possible. */
export function packageIn(
  place: InstallPlace,
  skillFolder: string,
  item: InstallItem,
  methods: readonly InstallMethod[],
): Placement {
  const path = place.paths.join(skillFolder, item.packageName ?? item.installName);
  return { shape: "folder", path, content: "package", methods };
}

/** A text as a skill folder that holds one SKILL.md. */
export function skillFolderIn(
  place: InstallPlace,
  skillFolder: string,
  item: InstallItem,
  methods: readonly InstallMethod[],
): Placement {
  return {
    shape: "folder",
    path: place.paths.join(skillFolder, item.installName),
    content: { file: "SKILL.md", text: renderSkillFile(item) },
    methods,
  };
}

/** A text as a file of its own. */
export function fileIn(
  place: InstallPlace,
  folder: string,
  file: string,
  text: string,
  methods: readonly InstallMethod[],
): Extract<Placement, { shape: "file" }> {
  return { shape: "file", path: place.paths.join(folder, file), content: { file, text }, methods };
}

/** A text as a block of a file that others write too. */
export function sectionOf(path: string, item: InstallItem): Extract<Placement, { shape: "section" }> {
  return { shape: "section", path, block: renderBlock(item), methods: ["section"] };
}
