/** Look-up of an installed skill by the name that a user typed. */
import { CliError, notFound } from "../../errors.ts";
import type { InstalledSkill, Profile } from "../../state/config.ts";

/** By install name, slug, `org/slug` or public id. Throws `E_NOT_FOUND` or `E_AMBIGUOUS`. */
export function findInstalled(profile: Profile | undefined, ref: string): [string, InstalledSkill] {
  const all = Object.entries(profile?.installed ?? {});
  const exact = all.find(([name, skill]) => name === ref || skill.publicId === ref);
  const matches =
    exact !== undefined
      ? [exact]
      : all.filter(([, skill]) => skill.slug === ref || `${skill.tenantSlug}/${skill.slug}` === ref);
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) throw notFound("installedSkill", ref, `${ref} is not installed.`);
  throw new CliError("E_AMBIGUOUS", `Several installed skills are called ${ref}: name one exactly.`, {
    kind: "installedSkill",
    ref,
    candidates: matches.map(([installName, { publicId, slug, tenantSlug }]) => ({
      publicId,
      slug,
      tenantSlug,
      installName,
    })),
  });
}
