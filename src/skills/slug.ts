/** Free slugs, and names by which skills are compared. */
import { limits } from "../../contract/limits.ts";

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
