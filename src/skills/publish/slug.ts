/** Free slugs, and names by which skills are compared. */
import { limits } from "../../../contract/limits.ts";

/** The slug itself if it is free, otherwise with the lowest free number from 2 on. */
export function freeSlug(base: string, taken: readonly string[]): string {
  const occupied = new Set(taken);
  if (!occupied.has(base)) return base;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const slug = `${base.slice(0, limits.skillSlug - suffix.length)}${suffix}`;
    if (!occupied.has(slug)) return slug;
  }
}

/** A name with case and width folded, for comparison. */
export function nameKeyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
