/** Slugs of folders and skills: the parts of a path, and the name that a skill is installed as. */
import { createHash } from "node:crypto";
import slugify from "@sindresorhus/slugify";
import { limits } from "../../../contract/limits.ts";

/** Whether a slug is a name of devices, which no directory can have on Windows. */
export const isDeviceName = (slug: string): boolean => /^(con|prn|aux|nul|com\d|lpt\d)$/.test(slug);

/** A slug made from a folder's name. */
export const slugOfFolder = (name: string): string => slugOf(name, "folder", limits.folderSlug);

/** A slug made from a skill's display name. */
export const slugOfSkill = (name: string): string => slugOf(name, "skill", limits.skillSlug);

/** A name without Latin letters or digits gets a stable slug from its hash. */
function slugOf(name: string, kind: string, maxCharacters: number): string {
  const slug = slugify(name).slice(0, maxCharacters).replace(/-+$/, "");
  if (slug === "") return `${kind}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return isDeviceName(slug) ? `${slug}-${kind}` : slug;
}
