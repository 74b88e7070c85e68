/** Slugs of folders: what a path is made of. */
import { createHash } from "node:crypto";
import slugify from "@sindresorhus/slugify";
import { limits } from "../../contract/limits.ts";

/** Names that Windows keeps for devices, so that no directory can have them there. */
const deviceNames = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A slug made from a folder's name; a name without Latin letters or digits gets a stable one from its hash. */
export function slugOfFolder(name: string): string {
  const slug = slugify(name).slice(0, limits.folderSlug).replace(/-+$/, "");
  if (slug === "") return `folder-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return deviceNames.test(slug) ? `${slug}-folder` : slug;
}
