/** Checks of a destination before it is written: the project's boundary, the path, and the shared file of a section. */
import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { messageOf } from "../../errors.ts";
import { characterCount } from "../../targets/render.ts";
import type { Placement, Refusal } from "../../targets/target.ts";
import { isThere } from "../locations/digest.ts";
import { isInside, readTextFile } from "../locations/files.ts";
import { realLocation } from "../locations/same-location.ts";
import { applySection } from "../locations/section.ts";

/**
 * A project may come from another person, and its links may lead anywhere: nothing is written through a link that
 * leaves the project (an AGENTS.md could be a shell's start-up file), nor into `.git`.
 */
export async function checkInsideProject(
  { path, shape }: Pick<Placement, "path" | "shape">,
  projectDir: string | undefined,
): Promise<Refusal | undefined> {
  if (projectDir === undefined) return undefined;
  const root = await realpath(projectDir).catch(() => projectDir);
  const real = await realLocation(path, shape === "section" ? "section" : "whole");
  const isWithin = isInside(real, root) && !relative(root, real).toLowerCase().split(sep).includes(".git");
  return isWithin ? undefined : { refused: `${path} leads out of the project, to ${real}` };
}

/** A file on the way to a destination where a folder is needed, such as `.clinerules` as a single file. */
export async function findBlockingFile(path: string): Promise<string | undefined> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const info = await stat(at).catch(() => undefined);
    if (info?.isDirectory() === true) return undefined;
    if (info !== undefined) return `${at} is a file, so that nothing can be put into it`;
    if ((await lstat(at).catch(() => undefined)) !== undefined) return `${at} is a link that leads nowhere`;
    if (dirname(at) === at) return undefined;
  }
}

/** The reason why a section can't be written to its file. */
export async function checkSection(placement: Placement, installName: string): Promise<Refusal | undefined> {
  if (placement.shape !== "section") return undefined;
  const { path, block, limit } = placement;
  try {
    const present = await readTextFile(path);
    if (present === undefined && (await isThere(path)))
      return { refused: `${path} is a link that leads nowhere` };
    const edit = applySection(present, installName, block);
    if ("refused" in edit) return { refused: `${path}: ${edit.refused}` };
    return limit !== undefined && characterCount(edit.text) > limit.characters
      ? { refused: limit.refusal }
      : undefined;
  } catch (error) {
    const reason = messageOf(error);
    return { refused: reason.includes(path) ? reason : `${path}: ${reason}` };
  }
}
