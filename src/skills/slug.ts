/** Slugs: what a skill is installed as. */
import { createHash } from "node:crypto";
import slugify from "@sindresorhus/slugify";
import { limits } from "../../contract/limits.ts";

/** Names that Windows keeps for devices, so that no folder can have them there. */
const deviceNames = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A slug made from a display name; a name without Latin letters or digits gets a stable one from its hash. */
export function slugOfName(name: string): string {
  const slug = slugify(name).slice(0, limits.skillSlug).replace(/-+$/, "");
  if (slug === "") return `skill-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return deviceNames.test(slug) ? `${slug}-skill` : slug;
}

/** The first free form of a slug: itself, else with the lowest number from 2 on. */
export function freeSlug(base: string, taken: readonly string[]): string {
  const held = new Set(taken);
  if (!held.has(base)) return base;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const slug = `${base.slice(0, limits.skillSlug - suffix.length)}${suffix}`;
    if (!held.has(slug)) return slug;
  }
}

/** Case and width folded, for comparing names. */
export function nameKeyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
